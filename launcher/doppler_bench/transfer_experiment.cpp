// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/spread.hpp"
#include "policy_run.hpp"
#include "progress.hpp"

namespace berth::launcher {
namespace {

struct Pair {
  const char* label;
  const char* source;
  const char* source_topology;
  const char* target;
  const char* target_topology;
  ExecutionModel model;
};

constexpr Pair kPairs[] = {
    {"ffnn to llama-layer",
     "workload:ffnn:4",
     "uniform:4",
     "workload:llama-layer:4",
     "uniform:4",
     ExecutionModel::kDelay},
    {"llama-layer, 4 to 8 devices",
     "workload:llama-layer:4",
     "uniform:4",
     "workload:llama-layer:8",
     "uniform:8",
     ExecutionModel::kDelay},
    {"llama-layer, links of 4 P100 to those of 8 V100",
     "workload:llama-layer:4",
     "p100",
     "workload:llama-layer:8",
     "dgx1-v100",
     ExecutionModel::kLinks},
};

constexpr std::uint64_t kZeroShotSamples =
    65;  ///< Simulations of zero-shot: the greedy rollout, 64 drawn.
constexpr std::uint64_t kRollouts = 16;  ///< Per update.

/// Best placement met within `episodes`; NaN where no curve is kept.
double best_within(const TrainingResult& run, std::uint64_t episodes) {
  double best = std::nan("");
  for (const CurvePoint& point : run.curve) {
    if (point.rollouts <= episodes + kRollouts - 1) {
      best = point.best;
    }
  }
  return best;
}

/// The makespans of one pair, seed by seed, in milliseconds.
struct Results {
  explicit Results(std::size_t steps) : tuned(steps), scratch(steps) {}
  std::vector<double> zero_shot;
  std::vector<std::vector<double>> tuned, scratch;  ///< [steps][seeds]
};

void run_pair(const Bench& bench,
              const Pair& pair,
              const std::vector<std::uint64_t>& episodes,
              std::uint64_t seed,
              Results& results,
              Section& section) {
  const auto source = bench_problem(bench, pair.source, pair.source_topology, pair.model);
  const auto target = bench_problem(bench, pair.target, pair.target_topology, pair.model);
  const PolicyRequest request = parse_policy(kWeightsAlone);
  const auto carried = bench.trainer->fresh(request, seed);
  static_cast<void>(
      bench.trainer->train(*carried, {source}, plan_training(bench.settings.budget, 1, 0.1), seed));
  const PolicyRun zero = run_policy(*target, *carried, request.text, {kZeroShotSamples, 0.0}, seed);
  const std::uint64_t updates = episodes.back() / kRollouts;
  const TrainingResult tuned = bench.trainer->train(
      *carried, {target}, TrainingPlan{kRollouts, {{Stage::kSimulation, updates}}}, seed);
  const auto fresh = bench.trainer->fresh(request, seed);
  const TrainingResult scratch = bench.trainer->train(
      *fresh,
      {target},
      TrainingPlan{
          kRollouts,
          {{Stage::kImitation, updates / 10}, {Stage::kSimulation, updates - updates / 10}}},
      seed);
  results.zero_shot.push_back(milliseconds(*target, zero.result.makespan));
  nlohmann::ordered_json line = {{"experiment", "transfer"},
                                 {"pair", pair.label},
                                 {"seed", seed},
                                 {"source_simulations", bench.settings.budget},
                                 {"zero_shot_milliseconds", results.zero_shot.back()}};
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    results.tuned[i].push_back(milliseconds(*target, best_within(tuned, episodes[i])));
    results.scratch[i].push_back(milliseconds(*target, best_within(scratch, episodes[i])));
    const std::string after = "_milliseconds_after_" + std::to_string(episodes[i]);
    line["tuned" + after] = results.tuned[i].back();
    line["scratch" + after] = results.scratch[i].back();
  }
  section.line(line);
}

}  // namespace

Section transfer_experiment(const Bench& bench) {
  const std::vector<std::uint64_t> episodes = bench.settings.quick
                                                  ? std::vector<std::uint64_t>{16, 48, 96}
                                                  : std::vector<std::uint64_t>{100, 500, 2000};
  Section section(bench.form, "transfer: a policy trained on one problem, on another");
  section.note("best placement met, milliseconds, " + seeds_text(bench.settings.seeds) +
               "; trained on the source with " + std::to_string(bench.settings.budget) +
               " simulations");
  section.note(
      "zero-shot: best of the greedy and 64 sampled rollouts; from scratch: a new policy, a tenth "
      "of its episodes in stage I");
  section.note("last column: after " + std::to_string(episodes[1]) +
               " episodes over from scratch after " + std::to_string(episodes[2]));
  TextRows table = {{"from, to", "zero-shot"}};
  for (const char* kind : {"tuned", "scratch"}) {
    for (const std::uint64_t count : episodes) {
      table[0].push_back(std::string(kind) + " " + std::to_string(count));
    }
  }
  table[0].push_back("ratio");
  Progress progress(
      "bench doppler: transfer", std::size(kPairs) * bench.settings.seeds, shown_on(bench));
  for (const Pair& pair : kPairs) {
    Results results(episodes.size());
    for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
      progress.next(pair.label);
      run_pair(bench, pair, episodes, seed, results, section);
    }
    table.push_back({pair.label, spread_text(spread_of(results.zero_shot))});
    for (const auto* list : {&results.tuned, &results.scratch}) {
      for (const std::vector<double>& values : *list) {
        table.back().push_back(spread_text(spread_of(values)));
      }
    }
    table.back().push_back(
        fixed(spread_of(results.tuned[1]).mean / spread_of(results.scratch[2]).mean, 3));
  }
  section.table("best placement met", std::move(table));
  return section;
}

}  // namespace berth::launcher
