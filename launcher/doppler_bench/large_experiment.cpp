// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/spread.hpp"
#include "policy_run.hpp"
#include "progress.hpp"
#include "trained_policy.hpp"

namespace berth::launcher {
namespace {

constexpr std::size_t kDevices = 8;

struct Contestant {
  const char* label;
  const char* request;
  bool limited;  ///< It takes all the time that it is given.
};

constexpr Contestant kContestants[] = {
    {"heft", "heft", false},
    {"mct", "mct", false},
    {"annealing", "annealing", true},
    {"doppler, rollouts alone", "doppler(search=0,heuristics=false)", true},
    {"doppler", "doppler", true},
};

constexpr std::size_t kAnnealing = 2;
constexpr std::size_t kDoppler = 4;

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
  const std::vector<double> ccrs = quick ? std::vector<double>{1.0} : std::vector<double>{1.0, 5.0};
  const std::vector<double> limits =
      quick ? std::vector<double>{0.2} : std::vector<double>{1.0, 4.0};
  Section section(bench.form, "thousands of ops: the policy that ships against search");
  section.note("random layered graphs, " + std::to_string(kDevices) +
               " devices, delay; makespan over the lower bound, " +
               seeds_text(bench.settings.seeds) +
               " (graph and search); ccr: mean transfer over mean work");
  section.note(
      "doppler was trained on other graphs of 10 to 200 ops; alone it places by its greedy and "
      "then "
      "by sampled rollouts; else as berth place does: these, annealing's starts, then its moves");
  section.note(
      "equal wall-clock time on one core; a start that takes longer than the limit overruns it");
  TextRows table = {{"ops", "ccr", "seconds"}};
  for (const Contestant& contestant : kContestants) {
    table[0].emplace_back(contestant.label);
  }
  table[0].emplace_back("doppler / annealing");
  Progress progress("bench doppler: large",
                    sizes.size() * ccrs.size() * limits.size() * bench.settings.seeds,
                    shown_on(bench));
  const auto contest = [&](std::size_t ops, double ccr, double limit) {
    std::vector<std::vector<double>> ratios(std::size(kContestants) + 1);
    for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
      progress.next(std::to_string(ops) + " ops, " + significant(limit) + " s");
      const auto problem = layered_problem(ops, kDevices, seed, ccr);
      for (std::size_t c = 0; c < std::size(kContestants); ++c) {
        const double makespan = makespan_of(bench, kContestants[c], *problem, limit, seed);
        ratios[c].push_back(makespan / problem->lower_bound);
        section.line({{"experiment", "large"},
                      {"ops", ops},
                      {"devices", kDevices},
                      {"ccr", ccr},
                      {"seconds", limit},
                      {"method", kContestants[c].label},
                      {"seed", seed},
                      {"over_lower_bound", ratios[c].back()}});
      }
      ratios.back().push_back(ratios[kDoppler].back() / ratios[kAnnealing].back());
    }
    table.push_back({std::to_string(ops), significant(ccr), significant(limit)});
    for (const std::vector<double>& values : ratios) {
      table.back().push_back(spread_text(spread_of(values)));
    }
  };
  for (const std::size_t ops : sizes) {
    for (const double ccr : ccrs) {
      for (const double limit : limits) {
        contest(ops, ccr, limit);
      }
    }
  }
  section.table("makespan over the lower bound", std::move(table));
  return section;
}

}  // namespace berth::launcher
