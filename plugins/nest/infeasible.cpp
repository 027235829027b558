// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>

#include "berth/units.hpp"

#include "memory_fit.hpp"
#include "outer_search.hpp"

namespace berth::nest {
namespace {

// What a device class would have to hold in the plan that is nearest to fitting.
struct Need {
  StageMemory memory;
  std::size_t stage = 0;
};

struct Nearest {
  double share = INFINITY;  // of the fullest device's memory
  std::string with;
  std::vector<Need> needs;  // [device class]; nothing where the plan has no device of it
};

std::string describe(const StrategyConfiguration& c, const PipelineLayout& layout, unsigned zero) {
  return "tp=" + std::to_string(c.tensor) + ",cp=" + std::to_string(c.context) +
         ",ep=" + std::to_string(c.expert) + ",pp=" + std::to_string(layout.stages) +
         ",dp=" + std::to_string(layout.data) + ",mbs=" + std::to_string(c.micro_batch) +
         ",zero=" + std::to_string(zero);
}

class NearestFit {
 public:
  NearestFit(const StrategyProblem& problem, const SearchSettings& settings)
      : problem_(problem),
        settings_(settings),
        collectives_(problem.network),
        orders_(device_orders(problem)) {}

  // Over the configurations with as many stages as there can be and with few, without ZeRO and with
  // all of it: every one of them was searched.
  Nearest run() {
    for (std::uint32_t index = 0; index < problem_.configurations.size(); ++index) {
      const StrategyConfiguration& c = problem_.configurations[index];
      const std::size_t devices = problem_.network.num_devices();
      if (!settings_.pins.allow(c) || c.block() > devices) {
        continue;
      }
      const ChainSums sums(problem_, c);
      const std::size_t most = std::min(problem_.layers.size(), devices / c.block());
      for (std::size_t stages = most; stages > 0; stages /= 2) {
        const std::size_t use = settings_.pins.stages.value_or(stages);
        if (use > 0 && use <= most) {
          consider(index, sums, use);
        }
        if (settings_.pins.stages) {
          break;
        }
      }
    }
    return std::move(nearest_);
  }

 private:
  void consider(std::uint32_t index, const ChainSums& sums, std::size_t stages) {
    const StrategyConfiguration& c = problem_.configurations[index];
    const std::size_t most = std::min<std::size_t>(
        c.micro_batches, problem_.network.num_devices() / (c.block() * stages));
    const std::size_t data = settings_.pins.data.value_or(static_cast<std::uint32_t>(most));
    if (data == 0 || data > most) {
      return;
    }
    for (const DeviceOrder& order : orders_) {
      const PipelineLayout layout{settings_.pins.packing.value_or(Packing::kPipelineInner),
                                  c.block(),
                                  stages,
                                  data,
                                  &order};
      const std::vector<Position> positions = make_positions(problem_, c, collectives_, layout);
      for (const unsigned zero : {0U, 3U}) {
        if (settings_.pins.zero.value_or(zero) == zero) {
          weigh({&problem_, index, zero, layout, &positions, &sums, {}});
        } else if (zero == 0 && *settings_.pins.zero != 3) {
          weigh({&problem_, index, *settings_.pins.zero, layout, &positions, &sums, {}});
        }
      }
    }
  }

  void weigh(const PipelineTask& task) {
    MemoryFit fit = fit_memory(task, settings_, nearest_.share);
    if (fit.share >= nearest_.share) {
      return;
    }
    nearest_.share = fit.share;
    nearest_.with = describe(task.shape(), task.layout, task.zero);
    nearest_.needs.assign(problem_.classes.size(), {});
    for (std::size_t q = 0; q < fit.stages.size(); ++q) {
      const Position& position = (*task.positions)[task.layout.stages - q];
      for (const std::uint32_t c : position.classes) {
        if (fit.stages[q].memory.total() > nearest_.needs[c].memory.total()) {
          nearest_.needs[c] = {fit.stages[q].memory, q};
        }
      }
    }
  }

  const StrategyProblem& problem_;
  const SearchSettings& settings_;
  Collectives collectives_;
  std::vector<DeviceOrder> orders_;
  Nearest nearest_;
};

std::string parts_of(const StageMemory& memory) {
  return "weights " + format(Bytes{memory.weights}) + ", gradients " +
         format(Bytes{memory.gradients}) + ", optimizer " + format(Bytes{memory.optimizer}) +
         ", activations " + format(Bytes{memory.stash}) + ", working memory " +
         format(Bytes{memory.work}) + ", reserve " + format(Bytes{memory.reserve});
}

// The first of a few changes under which something fits, least first.
std::string smallest_change(const StrategyProblem& problem,
                            const SearchSettings& settings,
                            const Nearest& nearest) {
  const auto fits = [](const Nearest& other) { return other.share <= 1.0; };
  StrategyProblem lighter = problem;
  if (problem.memory.reserve_bytes > 0.0) {
    lighter.memory.reserve_bytes = 0.0;
    const Nearest found = NearestFit(lighter, settings).run();
    if (fits(found)) {
      return "it would fit without the reserve (with " + found.with + ")";
    }
    lighter.memory.reserve_bytes = problem.memory.reserve_bytes;
  }
  SearchSettings unpinned = settings;
  unpinned.pins = {};
  const Nearest open = NearestFit(problem, unpinned).run();
  if (fits(open)) {
    return "it would fit without the pins (with " + open.with + ")";
  }
  for (const auto& [bytes, name] : {std::pair{8.0, "--optimizer momentum"},
                                    std::pair{0.0, "--optimizer sgd (no optimizer states)"}}) {
    if (bytes < problem.memory.optimizer_bytes) {
      lighter.memory.optimizer_bytes = bytes;
      const Nearest found = NearestFit(lighter, settings).run();
      if (fits(found)) {
        return std::string("it would fit with ") + name + " (with " + found.with + ")";
      }
    }
  }
  std::string line = "it would fit on devices of ";
  bool first = true;
  for (std::size_t c = 0; c < problem.classes.size(); ++c) {
    const double needs = nearest.needs[c].memory.total();
    if (needs > problem.classes[c].memory_bytes) {
      line +=
          (first ? "" : " and ") + format(Bytes{needs}) + " instead of " + problem.classes[c].name;
      first = false;
    }
  }
  return line + "; more devices help as far as there are layers, heads and replicas to divide";
}

// Why no number of stages leaves a layer for every chunk; empty if one does.
std::string too_many_chunks(const StrategyProblem& problem, const Pins& pins) {
  const std::size_t chunks = pins.chunks.value_or(1);
  const std::size_t stages = pins.stages.value_or(2);
  const std::string head = "vpp=" + std::to_string(chunks) + ": ";
  if (chunks > 1 && stages < 2) {
    return head + "chunks take turns on 2 stages or more; expected no pp=1 beside it";
  }
  if (chunks < 2 || stages * chunks <= problem.layers.size()) {
    return {};
  }
  return head + "the model has " + std::to_string(problem.layers.size()) +
         " layers, embedding and head counted; " + std::to_string(chunks) + " chunks on each of " +
         std::to_string(stages) + (pins.stages ? " stages" : " stages, the fewest,") + " take " +
         std::to_string(stages * chunks) + "; expected " +
         (problem.layers.size() / stages > 0
              ? "vpp of at most " + std::to_string(problem.layers.size() / stages)
              : "fewer stages");
}

}  // namespace

std::vector<std::string> explain_infeasible(const StrategyProblem& problem,
                                            const SearchSettings& settings) {
  if (const std::string line = too_many_chunks(problem, settings.pins); !line.empty()) {
    return {line};
  }
  const Nearest nearest = NearestFit(problem, settings).run();
  if (std::isinf(nearest.share)) {
    return {problem.model + " on " + problem.cluster +
            ": no configuration matches the pins; drop one of them"};
  }
  if (settings.pins.chunks.value_or(1) > 1 && nearest.share <= 1.0) {
    return {problem.model + " on " + problem.cluster +
            ": vpp=" + std::to_string(*settings.pins.chunks) +
            ": no interleaved plan with the pins was found, though one without chunks fits (with " +
            nearest.with +
            "); it takes pp of 2 or more, and micro-batches that are a multiple of " + "pp x dp"};
  }
  std::vector<std::string> lines;
  for (std::size_t c = 0; c < problem.classes.size(); ++c) {
    const Need& need = nearest.needs[c];
    const DeviceClass& device_class = problem.classes[c];
    const double needs = need.memory.total();
    if (needs == 0.0) {
      continue;
    }
    const bool lacks = needs > device_class.memory_bytes;
    std::string line = problem.model + " on " + problem.cluster + ", " +
                       std::to_string(problem.network.num_devices()) + " devices: the fullest " +
                       device_class.name + " needs " + (lacks ? "at least " : "") +
                       format(Bytes{needs}) + " (stage " + std::to_string(need.stage + 1) +
                       ", with " + nearest.with + "; " + parts_of(need.memory) + "), " +
                       format(Bytes{device_class.memory_bytes}) + " are there";
    // Classes that lack memory first.
    lines.insert(lacks ? lines.begin() : lines.end(), std::move(line));
  }
  lines.push_back(smallest_change(problem, settings, nearest));
  return lines;
}

}  // namespace berth::nest
