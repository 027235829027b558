// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/spread.hpp"
#include "policy_run.hpp"
#include "progress.hpp"

namespace berth::launcher {
namespace {

constexpr std::size_t kDevices = 8;
constexpr std::size_t kTrainedOps = 200;
constexpr std::uint64_t kTrainedGraphs = 4;
constexpr const char* kMethods[] = {
    "heft", "annealing", "doppler, rollouts alone", "doppler, refined"};

/// A policy trained on small graphs of the same kind, none of them placed here.
std::unique_ptr<TrainablePolicy> trained_on_small(const Bench& bench, std::uint64_t seed) {
  Problems problems;
  for (std::uint64_t g = 0; g < kTrainedGraphs; ++g) {
    problems.push_back(layered_problem(kTrainedOps, kDevices, 1000 * seed + g));
  }
  auto policy = bench.trainer->fresh(parse_policy(kWeightsAlone), seed);
  static_cast<void>(bench.trainer->train(
      *policy, problems, plan_training(kTrainedGraphs * bench.settings.budget, 1, 0.1), seed));
  return policy;
}

class Contest {
 public:
  Contest(const Bench& bench, double seconds) : bench_(&bench), seconds_(seconds) {}

  /// Makespans in the order of kMethods.
  std::vector<double> run(const PlacementProblem& problem,
                          PlacementPolicy& learned,
                          std::uint64_t seed) {
    std::vector<double> makespans;
    makespans.push_back(with("heft", problem, {10, 0.0}, seed).result.makespan);
    makespans.push_back(with("annealing", problem, {0, seconds_}, seed).result.makespan);
    makespans.push_back(
        run_policy(problem, learned, "doppler", {0, seconds_}, seed).result.makespan);
    // A greedy rollout, then annealing's moves from it and from annealing's own starts.
    PolicyRun refined = run_policy(problem, learned, "doppler", {1, 0.0}, seed);
    improve(problem, seed, std::max(0.01, seconds_ - refined.result.seconds), refined);
    makespans.push_back(refined.result.makespan);
    return makespans;
  }

 private:
  [[nodiscard]] PolicyRun with(const char* name,
                               const PlacementProblem& problem,
                               const SearchBudget& budget,
                               std::uint64_t seed) const {
    PluginHost& host = bench_->trainer->host();
    const auto policy =
        host.placement_policy(name, host.options(PlacementPolicy::kInterface, name), seed);
    return run_policy(problem, *policy, name, budget, seed);
  }

  void improve(const PlacementProblem& problem,
               std::uint64_t seed,
               double seconds,
               PolicyRun& run) const {
    PluginHost& host = bench_->trainer->host();
    const auto annealing = host.placement_policy(
        "annealing", host.options(PlacementPolicy::kInterface, "annealing"), seed);
    refine(problem, *annealing, "annealing", {0, seconds}, seed, run);
  }

  const Bench* bench_;
  double seconds_;
};

}  // namespace

Section large_experiment(const Bench& bench) {
  const bool quick = bench.settings.quick;
  const std::vector<std::size_t> sizes =
      quick ? std::vector<std::size_t>{500} : std::vector<std::size_t>{2000, 10000};
  const std::vector<double> limits =
      quick ? std::vector<double>{0.2} : std::vector<double>{1.0, 4.0};
  Section section(bench.form, "thousands of ops: a policy trained on small graphs against search");
  section.note("random layered graphs, " + std::to_string(kDevices) +
               " devices, delay; makespan over the lower bound, " +
               seeds_text(bench.settings.seeds) + " (graph, training and search)");
  section.note(
      "doppler was trained on " + std::to_string(kTrainedGraphs) + " other graphs of " +
      std::to_string(kTrainedOps) + " ops with " + std::to_string(bench.settings.budget) +
      " simulations each, which is not counted; alone it places by its greedy and then sampled "
      "rollouts; refined: the greedy rollout, then annealing from it and from annealing's own "
      "starts for the time that is left");
  section.note(
      "equal wall-clock time on one core; a start that takes longer than the limit overruns it");
  TextRows table = {{"ops", "seconds"}};
  table[0].insert(table[0].end(), std::begin(kMethods), std::end(kMethods));
  Progress progress("bench doppler: large",
                    (sizes.size() * limits.size() + 1) * bench.settings.seeds,
                    shown_on(bench));
  std::vector<std::unique_ptr<TrainablePolicy>> policies;
  for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
    progress.next("training on " + std::to_string(kTrainedOps) + " ops");
    policies.push_back(trained_on_small(bench, seed));
  }
  for (const std::size_t ops : sizes) {
    for (const double limit : limits) {
      std::vector<std::vector<double>> ratios(std::size(kMethods));
      for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
        progress.next(std::to_string(ops) + " ops, " + significant(limit) + " s");
        const auto problem = layered_problem(ops, kDevices, seed);
        const std::vector<double> makespans =
            Contest(bench, limit).run(*problem, *policies[seed - 1], seed);
        for (std::size_t m = 0; m < makespans.size(); ++m) {
          ratios[m].push_back(makespans[m] / problem->lower_bound);
          section.line({{"experiment", "large"},
                        {"ops", ops},
                        {"devices", kDevices},
                        {"seconds", limit},
                        {"method", kMethods[m]},
                        {"seed", seed},
                        {"over_lower_bound", ratios[m].back()}});
        }
      }
      table.push_back({std::to_string(ops), significant(limit)});
      for (const std::vector<double>& values : ratios) {
        table.back().push_back(spread_text(spread_of(values)));
      }
    }
  }
  section.table("makespan over the lower bound", std::move(table));
  return section;
}

}  // namespace berth::launcher
