// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "checkpoints/state_recorder.hpp"
#include "doppler_bench/experiments.hpp"
#include "doppler_bench/spread.hpp"
#include "policy_run.hpp"
#include "progress.hpp"
#include "trained_policy.hpp"

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

/// The policies alone, at half the temperature: in a few hundred episodes exploring costs more than
/// it finds, with and without a policy to start from.
constexpr const char* kTransferred =
    "doppler(refine_simulations=0,deep=0,search=0,heuristics=false,recall=false,eps=0.5,"
    "final_eps=0.5)";
constexpr std::uint64_t kZeroShotSamples =
    65;  ///< Simulations of zero-shot: the greedy rollout, 64 drawn.
constexpr double kImitatedEpisodes = 0.1;  ///< Share of the episodes in stage I.

/// A training of so many episodes on the target, with a schedule of its own: small updates, so that
/// a few hundred episodes make a hundred of them.
TrainingPlan training_of(std::uint64_t episodes) {
  constexpr std::uint64_t kRollouts = 4;
  const std::uint64_t updates = std::max<std::uint64_t>(1, episodes / kRollouts);
  const auto imitated =
      static_cast<std::uint64_t>(kImitatedEpisodes * static_cast<double>(updates));
  return {kRollouts, {{Stage::kImitation, imitated}, {Stage::kSimulation, updates - imitated}}};
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
  const PolicyRequest request = parse_policy(kTransferred);
  const auto source_policy = bench.trainer->fresh(request, seed);
  static_cast<void>(bench.trainer->train(
      *source_policy, {source}, plan_training(bench.settings.budget, 1, kImitatedEpisodes), seed));
  checkpoints::State trained;
  checkpoints::StateRecorder recorder(trained, "policy/");
  source_policy->save(recorder);
  keep_weights(trained);
  const PolicyRun zero =
      run_policy(*target, *source_policy, request.text, {kZeroShotSamples, 0.0}, seed);
  results.zero_shot.push_back(milliseconds(*target, zero.result.makespan));
  nlohmann::ordered_json line = {{"experiment", "transfer"},
                                 {"pair", pair.label},
                                 {"seed", seed},
                                 {"source_simulations", bench.settings.budget},
                                 {"zero_shot_milliseconds", results.zero_shot.back()}};
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const auto best_of = [&](bool carried) {
      const auto policy = bench.trainer->fresh(request, seed);
      if (carried) {
        policy->load(checkpoints::StateReplay(trained, "policy/", pair.label));
      }
      const TrainingResult run =
          bench.trainer->train(*policy, {target}, training_of(episodes[i]), seed);
      return milliseconds(*target, run.record.problems.front().best_makespan);
    };
    results.tuned[i].push_back(best_of(true));
    results.scratch[i].push_back(best_of(false));
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
      "zero-shot: best of the greedy and 64 sampled rollouts; each number of episodes is a "
      "training of its own, about a tenth in stage I, four rollouts an update; tuned: from the "
      "carried policy, "
      "scratch: from a new one");
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
