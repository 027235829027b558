// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What the cpu executor costs besides the kernels: graphs of empty ops, so that a run's time is all
// dispatch, copies of tokens and wake-ups. `us_per_op` is the median run over the number of ops,
// `us_per_task` counts transfers too.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "berth/problem.hpp"
#include "berth/rng.hpp"

#include "cpu_executor.hpp"

namespace berth {
namespace {

constexpr std::size_t kOps = 10000;

/// Layers of 100 empty ops, each with two predecessors in the layer before.
Graph layers() {
  GraphBuilder builder("layers of empty ops");
  builder.cost_basis(CostBasis::kPhysical);
  Rng rng(1, {1});
  constexpr std::size_t kWidth = 100;
  for (std::size_t v = 0; v < kOps; ++v) {
    const OpId op = builder.add_op({});
    for (int i = 0; i < 2 && v >= kWidth; ++i) {
      const std::size_t layer = (v / kWidth - 1) * kWidth;
      builder.add_edge(to_id<OpId>(layer + rng.below(kWidth)), op, 64.0);
    }
  }
  return builder.freeze();
}

Graph independent() {
  GraphBuilder builder("independent empty ops");
  builder.cost_basis(CostBasis::kPhysical);
  for (std::size_t v = 0; v < kOps; ++v) {
    builder.add_op({});
  }
  return builder.freeze();
}

void run(benchmark::State& state, const Graph& graph, bool random) {
  const auto devices = static_cast<std::size_t>(state.range(0));
  const auto problem = make_problem("empty", graph, Topology::uniform(devices), {});
  executors::CpuExecutor executor(*problem, {});
  Rng rng(2, {1});
  Placement placement;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    placement.device.push_back(to_id<DeviceId>(random ? rng.below(devices) : v % devices));
  }
  double best = 1.0;
  double median = 0.0;
  for (auto _ : state) {
    const Measurement found = executor.measure(placement, {1, 5, 60.0});
    median = found.median_seconds;
    best = std::min(best, *std::ranges::min_element(found.seconds));
  }
  const double transfers = static_cast<double>(executor.last_trace().transfers.size());
  const auto ops = static_cast<double>(graph.num_ops());
  state.counters["us_per_op"] = median * 1e6 / ops;
  state.counters["us_per_op_best"] = best * 1e6 / ops;
  state.counters["us_per_task"] = median * 1e6 / (ops + transfers);
}

void independent_ops(benchmark::State& state) {
  run(state, independent(), false);
}
void layered_ops_random_placement(benchmark::State& state) {
  run(state, layers(), true);
}

BENCHMARK(independent_ops)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK(layered_ops_random_placement)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth

BENCHMARK_MAIN();
