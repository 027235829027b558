// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/spread.hpp"
#include "policy_run.hpp"
#include "progress.hpp"
#include "trained_policy.hpp"

namespace berth::launcher {
namespace {

/// Graphs of one kind by their size.
struct Family {
  const char* label;
  std::size_t devices;
  double ccr;  ///< Of random graphs; 0: a model of so many layers.
  std::size_t ops_of_layer;
};

constexpr Family kFamilies[] = {{"random layers, ccr 1", 8, 1.0, 0},
                                {"random layers, ccr 5", 8, 5.0, 0},
                                {"llama-model", 4, 0.0, 198},
                                {"llama-model", 8, 0.0, 326}};

/// About `ops` ops; a model is the same for every seed.
std::shared_ptr<const PlacementProblem> problem_of(const Bench& bench,
                                                   const Family& family,
                                                   std::size_t ops,
                                                   std::uint64_t seed) {
  if (family.ops_of_layer == 0) {
    return layered_problem(ops, family.devices, seed, family.ccr);
  }
  const std::string devices = std::to_string(family.devices);
  const std::string layers = std::to_string((ops + family.ops_of_layer / 2) / family.ops_of_layer);
  return bench_problem(bench,
                       "workload:llama-model:" + devices + ":reference:l" + layers,
                       "uniform:" + devices,
                       ExecutionModel::kDelay);
}

struct Contestant {
  const char* label;
  const char* request;
  bool limited;  ///< It takes all the time that it is given.
};

constexpr Contestant kContestants[] = {
    {"heft", "heft", false},
    {"mct", "mct", false},
    {"annealing", "annealing", true},
    {"with a descent", "annealing(descent=8)", true},
    {"rollouts alone", "doppler(search=0,heuristics=false)", true},
    {"doppler, no pieces", "doppler(pieces=false)", true},
    {"doppler", "doppler", true},
};

constexpr std::size_t kAnnealing = 2;
constexpr std::size_t kDoppler = 6;

double makespan_of(const Bench& bench,
                   const Contestant& contestant,
                   const PlacementProblem& problem,
                   double seconds,
                   std::uint64_t seed) {
  const MadePolicy made =
      make_policy(bench.trainer->host(), parse_policy(contestant.request), "", seed, *bench.logger);
  return run_policy(problem,
                    *made.policy,
                    contestant.request,
                    {0, contestant.limited ? seconds : 0.0},
                    seed)
      .result.makespan;
}

}  // namespace

Section large_experiment(const Bench& bench) {
  const bool quick = bench.settings.quick;
  const std::vector<std::size_t> sizes =
      quick ? std::vector<std::size_t>{500} : std::vector<std::size_t>{2000, 10000};
  const std::vector<double> limits =
      quick ? std::vector<double>{0.2} : std::vector<double>{1.0, 4.0};
  Section section(bench.form, "thousands of ops: the policy that ships against search");
  section.note(
      "makespan over the lower bound, delay, first in, first out, " +
      seeds_text(bench.settings.seeds) +
      " of the search and of random graphs; ccr: mean transfer over mean work; llama-model: "
      "its layer as often as makes so many ops");
  section.note(
      "doppler: the weights that ship, trained on other graphs of 10 to 367 ops; rollouts alone: "
      "greedy, then drawn ones, of the whole and of its pieces; doppler: these, annealing's "
      "starts, then annealing with a descent, as berth place does");
  section.note(
      "equal wall-clock time on one core; a start that takes longer than the limit overruns it");
  TextRows table = {{"graph", "devices", "ops", "seconds"}};
  for (const Contestant& contestant : kContestants) {
    table[0].emplace_back(contestant.label);
  }
  table[0].emplace_back("doppler / annealing");
  Progress progress("bench doppler: large",
                    sizes.size() * std::size(kFamilies) * limits.size() * bench.settings.seeds,
                    shown_on(bench));
  const auto contest = [&](const Family& family, std::size_t size, double limit) {
    std::size_t ops = 0;
    std::vector<std::vector<double>> ratios(std::size(kContestants) + 1);
    for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
      progress.next(std::string(family.label) + ", " + std::to_string(size) + " ops, " +
                    significant(limit) + " s");
      const auto problem = problem_of(bench, family, size, seed);
      ops = problem->graph.num_ops();
      for (std::size_t c = 0; c < std::size(kContestants); ++c) {
        const double makespan = makespan_of(bench, kContestants[c], *problem, limit, seed);
        ratios[c].push_back(makespan / problem->lower_bound);
        section.line({{"experiment", "large"},
                      {"graph", family.label},
                      {"ops", ops},
                      {"devices", family.devices},
                      {"seconds", limit},
                      {"method", kContestants[c].label},
                      {"seed", seed},
                      {"over_lower_bound", ratios[c].back()}});
      }
      ratios.back().push_back(ratios[kDoppler].back() / ratios[kAnnealing].back());
    }
    table.push_back(
        {family.label, std::to_string(family.devices), std::to_string(ops), significant(limit)});
    for (const std::vector<double>& values : ratios) {
      table.back().push_back(spread_text(spread_of(values)));
    }
  };
  for (const Family& family : kFamilies) {
    for (const std::size_t ops : sizes) {
      for (const double limit : limits) {
        contest(family, ops, limit);
      }
    }
  }
  section.table("makespan over the lower bound", std::move(table));
  return section;
}

}  // namespace berth::launcher
