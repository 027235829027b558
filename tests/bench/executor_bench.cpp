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

#include "cpu_executor.hpp"
#include "empty_graphs.hpp"

namespace berth {
namespace {

void run(benchmark::State& state, const Graph& graph, bool random) {
  const auto devices = static_cast<std::size_t>(state.range(0));
  const auto problem = make_problem("empty", graph, Topology::uniform(devices), {});
  executors::CpuExecutor executor(*problem, {});
  const Placement placement = place_empty_ops(graph, devices, random);
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
  run(state, independent_empty_ops(), false);
}
void layered_ops_random_placement(benchmark::State& state) {
  run(state, layers_of_empty_ops(), true);
}

BENCHMARK(independent_ops)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK(layered_ops_random_placement)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth

BENCHMARK_MAIN();
