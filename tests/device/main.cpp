// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What can only be checked where a GPU is: tests/device/run.sh builds and runs it.

#include <algorithm>
#include <cstdio>
#include <string>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "cuda/cuda_driver.hpp"
#include "datasets/workloads/workload_word.hpp"
#include "device_checks.hpp"

namespace berth::device_check {
namespace {

/// Rates near those of a large GPU; calibration replaces them where they matter.
Topology gpus(std::size_t devices) {
  TopologyBuilder builder("logical:" + std::to_string(devices));
  for (std::size_t d = 0; d < devices; ++d) {
    DeviceSpec device;
    device.type = "gpu";
    device.peak = FlopsPerSecond{40e12};
    device.memory_bandwidth = BytesPerSecond{3e12};
    device.launch_overhead = Seconds{5e-6};
    builder.add_device(std::move(device));
  }
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        const LinkId link = builder.add_link({"", BytesPerSecond{25e9}, Seconds{20e-6}});
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return builder.freeze();
}

int run(bool is_small) {
  CheckTable table;
  CheckScale scale;
  scale.is_small = is_small;
  check_kernels(scale, table);
  check_numerics(scale, table);
  if (!is_small) {
    check_overhead(table);
    check_agreement(table);
    check_campaign(table);
  }
  table.print_all();
  return table.failed() == 0 ? 0 : 1;
}

}  // namespace

std::unique_ptr<executors::StreamExecutor> open_executor(const PlacementProblem& problem,
                                                         const executors::StreamOptions& options,
                                                         bool logical) {
  const auto devices = static_cast<std::uint32_t>(problem.topology.num_devices());
  return std::make_unique<executors::StreamExecutor>(
      problem,
      options,
      std::make_unique<executors::CudaDriver>(executors::CudaSettings{
          devices, logical ? devices : 0, problem.execution.streams, options.copy_streams}));
}

std::shared_ptr<const PlacementProblem> workload_on(const std::string& word,
                                                    std::size_t devices,
                                                    std::uint32_t streams,
                                                    ExecutionModel model) {
  const Graph graph = datasets::make_workload_of("workload:" + word);
  ExecutionOptions execution;
  execution.streams = streams;
  execution.model = model;
  const bool is_physical = graph.cost_basis() == CostBasis::kPhysical;
  return make_problem(
      word, graph, is_physical ? gpus(devices) : Topology::uniform(devices), execution);
}

Placement random_placement(const PlacementProblem& problem, std::uint64_t seed) {
  Rng rng(seed, {3});
  Placement placement;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    placement.device.push_back(to_id<DeviceId>(rng.below(problem.topology.num_devices())));
  }
  return placement;
}

}  // namespace berth::device_check

int main(int count, char** words) {
  const bool is_small = count == 2 && std::string(words[1]) == "--small";
  const bool has_ranks = count == 2 && std::string(words[1]) == "--ranks";
  if (count > 1 && !is_small && !has_ranks) {
    std::fprintf(stderr, "usage: device_check [--small | --ranks]\n");
    return 2;
  }
  try {
    return has_ranks ? berth::device_check::check_ranks() : berth::device_check::run(is_small);
  } catch (const berth::Error& error) {
    std::fprintf(stderr, "device_check: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
