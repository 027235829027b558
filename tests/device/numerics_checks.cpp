// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Results of whole graphs beside those of the cpu executor.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

#include "cpu_executor.hpp"
#include "device_checks.hpp"
#include "tests/result_difference.hpp"

namespace berth::device_check {
namespace {

using executors::CpuExecutor;
using executors::DispatchMode;
using executors::StreamOptions;

struct Mode {
  const char* name;
  StreamOptions options;
};

std::vector<Mode> modes() {
  StreamOptions ready;
  ready.dispatch = DispatchMode::kReady;
  StreamOptions graphs;
  graphs.graphs = true;
  return {{"ahead", {}}, {"ready", ready}, {"graphs", graphs}};
}

/// A workload in every way to dispatch it, on logical devices or on as many GPUs.
void check_workload(const std::string& word,
                    std::uint32_t devices,
                    bool logical,
                    const CheckScale& scale,
                    CheckTable& table) {
  const auto problem = workload_on(word, devices, /*streams=*/3, ExecutionModel::kPull);
  CpuExecutor cpu(*problem, {});
  for (const Mode& mode : modes()) {
    double worst = 0.0;
    std::string failure;
    const std::uint64_t placements = scale.is_small ? 1 : 10;
    const auto gpu = open_executor(*problem, mode.options, logical);
    for (std::uint64_t seed = 0; seed < placements; ++seed) {
      const Placement placement = random_placement(*problem, seed);
      const Measurement there = gpu->measure(placement, {1, scale.is_small ? 1U : 3U, 60.0});
      const Measurement here = cpu.measure(placement, {0, 1, 60.0});
      failure += there.reason + here.reason;
      worst = std::max(worst, berth::testing::result_difference(*problem, *gpu, cpu));
    }
    table.add(words(logical ? "results of %s, %s" : "%s, %s, a GPU each",
                    word.substr(0, word.find(':')).c_str(),
                    mode.name),
              worst < 1e-4 && failure.empty(),
              words("%d placements, worst %.1e ", static_cast<int>(placements), worst) + failure);
  }
}

}  // namespace

void check_numerics(const CheckScale& scale, CheckTable& table) {
  int gpus = 0;
  cudaGetDeviceCount(&gpus);  // that there is one is known by now
  for (const char* word : {"chain-mm:4:physical:i200j200k200l200m200",
                           "ffnn:4:physical:b256i64o24h512",
                           "llama-block:4:physical:s64h96n4d24f160v128",
                           "llama-layer:4:physical:s64h96n4d24f160v128"}) {
    check_workload(word, scale.logical, /*logical=*/true, scale, table);
    if (gpus > 1) {
      check_workload(word, static_cast<std::uint32_t>(gpus), /*logical=*/false, scale, table);
    }
  }
}

}  // namespace berth::device_check
