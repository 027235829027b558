// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// One configuration of a chain of 100 unequal layers on up to 1,024 devices: the planner's inner
// searches alone, without pricing a model.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "berth/rng.hpp"

#include "plugins/nest/artifact_mode.hpp"
#include "plugins/nest/outer_search.hpp"

namespace berth {
namespace {

constexpr std::size_t kLayers = 100;

StrategyProblem chain(std::uint32_t devices) {
  Rng rng(1);
  StrategyProblem problem;
  problem.model = "chain";
  problem.cluster = "cluster";
  const std::uint32_t units[] = {8, 4, devices / 32};
  problem.network = NetworkLevels::uniform(
      units,
      {{"node", 9e11, 1e-7, 0.0, 1}, {"leaf", 1e11, 2e-7, 0.0, 1}, {"spine", 4e11, 3e-7, 0.0, 1}});
  problem.classes = {{"device", 64e9, 0.0, 1.0}};
  problem.memory = {2.0, 2.0, 12.0, 0.0};
  StrategyConfiguration configuration;
  configuration.micro_batches = 4096;
  for (std::uint32_t v = 0; v < kLayers; ++v) {
    problem.layers.push_back(std::to_string(v));
    LayerCost cost;
    cost.forward_seconds = 0.05 + 0.05 * rng.uniform();
    cost.backward_seconds = 2.0 * cost.forward_seconds;
    cost.recompute_seconds = {0.0, 0.2 * cost.forward_seconds, cost.forward_seconds};
    cost.dense_parameters = 2e8 * (0.5 + rng.uniform());
    cost.saved_bytes = {3e9 * (0.5 + rng.uniform()), 1e9, 1e8};
    cost.work_bytes = {0.0, 1e9, 3e9};
    configuration.kinds.push_back(v);
    configuration.costs.push_back(cost);
    if (v > 0) {
      configuration.edges.push_back({v - 1, v, 1e8});
    }
  }
  problem.configurations = {configuration};
  return problem;
}

void report(benchmark::State& state, const StrategyAnswer& answer) {
  if (answer.plans.empty()) {
    state.SkipWithError("no plan fits");
    return;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["stages"] = static_cast<double>(answer.plans[0].stages.size());
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void artifact_exact(benchmark::State& state, nest::ArtifactOptions::Fill fill) {
  const StrategyProblem problem = chain(static_cast<std::uint32_t>(state.range(0)));
  nest::ArtifactOptions options;
  options.update = nest::ArtifactOptions::Update::kExact;
  options.fill = fill;
  StrategyAnswer answer;
  for (auto _ : state) {
    answer = nest::plan_as_artifact(problem, options, 1);
  }
  report(state, answer);
}

void default_mode(benchmark::State& state, const char* pins) {
  const StrategyProblem problem = chain(static_cast<std::uint32_t>(state.range(0)));
  nest::SearchSettings settings;
  settings.pins = nest::parse_pins(pins);
  StrategyAnswer answer;
  for (auto _ : state) {
    answer = nest::plan_default(problem, settings, 1);
  }
  report(state, answer);
}

BENCHMARK_CAPTURE(artifact_exact, fill_max, nest::ArtifactOptions::Fill::kMax)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(artifact_exact, fill_sum, nest::ArtifactOptions::Fill::kSum)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(default_mode, equal_stages, "vpp=1,mixed=false")
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(default_mode, with_interleaving, "")
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
