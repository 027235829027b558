// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>

#include "berth/units.hpp"

#include "outer_search.hpp"
#include "pipeline_search.hpp"
#include "stage_price.hpp"

namespace berth::nest {
namespace {

struct Need {
  double bytes = INFINITY;
  std::string with;
};

std::string describe(const StrategyConfiguration& c, const PipelineLayout& layout, unsigned zero) {
  return "tp=" + std::to_string(c.tensor) + ",cp=" + std::to_string(c.context) +
         ",ep=" + std::to_string(c.expert) + ",pp=" + std::to_string(layout.stages) +
         ",dp=" + std::to_string(layout.data) + ",mbs=" + std::to_string(c.micro_batch) +
         ",zero=" + std::to_string(zero);
}

bool allowed(const Pins& pins, const StrategyConfiguration& c) {
  const auto equal = [](const auto& pin, const auto& value) { return !pin || *pin == value; };
  return equal(pins.tensor, c.tensor) && equal(pins.context, c.context) &&
         equal(pins.expert, c.expert) && equal(pins.micro_batch, c.micro_batch) &&
         equal(pins.sequence_parallel, c.sequence_parallel);
}

// Least peak over the configurations, with as many stages as there can be and with few.
Need least_need(const StrategyProblem& problem, const SearchSettings& settings) {
  Need least;
  const Collectives collectives(problem.network);
  const std::size_t devices = problem.network.num_devices();
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    if (!allowed(settings.pins, c) || c.block() > devices) {
      continue;
    }
    const ChainSums sums(problem, c);
    const std::size_t most = std::min(problem.layers.size(), devices / c.block());
    for (std::size_t stages = most; stages > 0; stages /= 2) {
      const std::size_t use = settings.pins.stages ? *settings.pins.stages : stages;
      if (use == 0 || use > most) {
        break;
      }
      const std::size_t replicas =
          std::min<std::size_t>(c.micro_batches, devices / (c.block() * use));
      const std::size_t data = settings.pins.data ? *settings.pins.data : replicas;
      if (data == 0 || data > replicas) {
        break;
      }
      const PipelineLayout layout{Packing::kPipelineInner, c.block(), use, data};
      const std::vector<Position> positions(use + 1);
      for (const unsigned zero : {0U, 3U}) {
        if (settings.pins.zero && *settings.pins.zero != zero) {
          continue;
        }
        const PipelineTask task{&problem, index, zero, layout, &positions, &sums, {}};
        const double bytes = least_memory(task, settings);
        if (bytes < least.bytes) {
          least = {bytes, describe(c, layout, zero)};
        }
      }
      if (settings.pins.stages) {
        break;
      }
    }
  }
  return least;
}

}  // namespace

std::vector<std::string> explain_infeasible(const StrategyProblem& problem,
                                            const SearchSettings& settings) {
  std::vector<std::string> lines;
  const Need need = least_need(problem, settings);
  if (std::isinf(need.bytes)) {
    return {problem.model + " on " + problem.cluster +
            ": no configuration matches the pins; drop one of them"};
  }
  for (const DeviceClass& device_class : problem.classes) {
    lines.push_back(problem.model + " on " + problem.cluster + ", " +
                    std::to_string(problem.network.num_devices()) + " devices: the fullest " +
                    device_class.name + " needs at least " + format(Bytes{need.bytes}) + " (with " +
                    need.with + "), " + format(Bytes{device_class.memory_bytes}) + " are there");
  }
  StrategyProblem lighter = problem;
  lighter.memory.optimizer_bytes = 0.0;
  const Need light = least_need(lighter, settings);
  double least_memory = INFINITY;
  for (const DeviceClass& device_class : problem.classes) {
    least_memory = std::min(least_memory, device_class.memory_bytes);
  }
  lines.push_back(light.bytes <= least_memory
                      ? "it would fit without optimizer states (" + format(Bytes{light.bytes}) +
                            " with " + light.with + "), or on devices of " +
                            format(Bytes{need.bytes})
                      : "it would fit on devices of " + format(Bytes{need.bytes}) +
                            "; more devices of this kind help as far as there are layers and "
                            "heads to divide");
  return lines;
}

}  // namespace berth::nest
