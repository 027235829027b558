// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/problem.hpp"
#include "berth/rng.hpp"

#include "datasets/workloads/workload_word.hpp"
#include "small_problem.hpp"

namespace berth::testing {

/// The four workloads with kernels, small, cut for four devices.
inline constexpr const char* kSmallWorkloads[] = {"chain-mm:4:physical:i24j24k24l24m24",
                                                  "ffnn:4:physical:b32i8o6h20",
                                                  "llama-block:4:physical:s16h24n4d8f40v32",
                                                  "llama-layer:4:physical:s16h24n4d8f40v32"};

/// One of them on four devices of so many streams.
inline std::shared_ptr<const PlacementProblem> workload_problem(const std::string& word,
                                                                std::uint32_t streams) {
  ExecutionOptions execution;
  execution.streams = streams;
  return make_problem(
      word, datasets::make_workload_of("workload:" + word), Topology::uniform(4), execution);
}

inline Placement any_placement(const PlacementProblem& problem, std::uint64_t seed) {
  Rng rng(seed, {3});
  std::vector<unsigned> devices;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    devices.push_back(static_cast<unsigned>(rng.below(problem.topology.num_devices())));
  }
  return placement_of(devices);
}

}  // namespace berth::testing
