// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include "berth/simulator.hpp"

#include "bench_problems.hpp"
#include "reference/simulator/doppler_sample.hpp"
#include "reference_data.hpp"

namespace berth::bench {
namespace {

/// Makespans of random placements on 4 devices. Counters: makespans/s, events/s (an event is an op
/// or an edge), nanoseconds per event.
void simulate(benchmark::State& state, const Graph& graph, ExecutionModel model) {
  constexpr std::size_t kDevices = 4;
  ExecutionOptions execution;
  execution.model = model;
  const auto problem = make_problem("bench", graph, Topology::uniform(kDevices), execution);
  const std::size_t count = graph.num_ops() > 100000 ? 4 : 256;
  const auto placements = random_placements(graph.num_ops(), kDevices, count);
  Simulator simulator(*problem);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulator.makespan(placements[next]));
    next = (next + 1) % count;
  }
  using benchmark::Counter;
  const auto events = static_cast<double>(graph.num_ops() + graph.num_edges());
  const auto runs = static_cast<double>(state.iterations());
  state.counters["makespans"] = Counter(runs, Counter::kIsRate);
  state.counters["events"] = Counter(runs * events, Counter::kIsRate);
  state.counters["event_ns"] = Counter(runs * events * 1e-9, Counter::kIsRate | Counter::kInvert);
}

void add_graph(const Graph& graph, bool all_models) {
  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair,
                                     ExecutionModel::kDopplerReference}) {
    if (all_models || model == ExecutionModel::kDelay || model == ExecutionModel::kLinks) {
      const std::string name = graph.name() + "/" + std::string(name_of(model));
      benchmark::RegisterBenchmark(
          name.c_str(), [graph, model](benchmark::State& state) { simulate(state, graph, model); });
    }
  }
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth;
  const std::filesystem::path folder = reference_data() / "doppler";
  for (const char* name : {"gdp_chain_mm_112nodes",
                           "gdp_ffnn_192nodes",
                           "gdp_transformer_block_215nodes",
                           "gdp_full_transformer_layer_261nodes"}) {
    const std::filesystem::path file = folder / (std::string(name) + ".txt");
    if (std::filesystem::exists(file)) {
      bench::add_graph(read_doppler_sample(file), /*all_models=*/true);
    } else {
      std::cout << "skipped: " << file << " is not there; set BERTH_REFERENCE_DATA\n";
    }
  }
  for (const std::size_t ops : {300U, 3000U, 30000U, 1000000U}) {
    bench::add_graph(bench::layered_graph(ops, 7), /*all_models=*/ops < 100000);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
