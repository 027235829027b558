// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/measured_tables.hpp"
#include "doppler_bench/published_doppler.hpp"
#include "doppler_bench/spread.hpp"
#include "progress.hpp"

namespace berth::launcher {
namespace {

struct Variant {
  const char* label;
  const char* request;
  double imitated;        ///< Share of the budget spent on imitation.
  const char* published;  ///< Its name among the paper's rows, or "".
};

constexpr Variant kVariants[] = {
    {"both", "doppler(refine_simulations=0,deep=0)", 0.1, "doppler"},
    {"SEL only", "doppler(policy=sel,refine_simulations=0,deep=0)", 0.1, "doppler-sel"},
    {"PLC only", "doppler(policy=plc,refine_simulations=0,deep=0)", 0.1, "doppler-plc"},
    {"PLC only, ready first", "doppler(policy=ready,refine_simulations=0,deep=0)", 0.1, ""},
    {"one policy over pairs", "doppler(policy=joint,refine_simulations=0,deep=0)", 0.1, ""},
    {"stage I alone", "doppler(refine_simulations=0,deep=0)", 1.0, ""},
    {"stage II alone", "doppler(refine_simulations=0,deep=0)", 0.0, ""},
};

/// The rollouts' mean by simulations, averaged over seeds and over a window of updates.
Curve mean_curve(const PlacementProblem& problem,
                 const std::string& name,
                 const std::vector<TrainingResult>& runs) {
  constexpr std::size_t kPoints = 60;
  Curve curve{name, {}};
  std::size_t updates = runs.front().curve.size();
  for (const TrainingResult& run : runs) {
    updates = std::min(updates, run.curve.size());
  }
  const std::size_t window = std::max<std::size_t>(1, updates / kPoints);
  for (std::size_t begin = 0; begin + window <= updates; begin += window) {
    double sum = 0.0;
    for (const TrainingResult& run : runs) {
      for (std::size_t u = begin; u < begin + window; ++u) {
        sum += run.curve[u].mean;
      }
    }
    curve.points.emplace_back(
        static_cast<double>(runs.front().curve[begin + window - 1].simulations),
        milliseconds(problem, sum / static_cast<double>(window * runs.size())));
  }
  return curve;
}

/// Mean makespan of the last tenth of the updates.
double last_mean(const TrainingResult& run) {
  const std::size_t last = std::max<std::size_t>(1, run.curve.size() / 10);
  double sum = 0.0;
  for (std::size_t u = run.curve.size() - std::min(last, run.curve.size()); u < run.curve.size();
       ++u) {
    sum += run.curve[u].mean;
  }
  return run.curve.empty() ? std::nan("") : sum / static_cast<double>(last);
}

}  // namespace

Section ablation_experiment(const Bench& bench) {
  const BenchSettings& settings = bench.settings;
  Section section(bench.form, "ablations: parts of the policy, stages of the training");
  section.note("delay, uniform:4, published costs; milliseconds, " + seeds_text(settings.seeds) +
               "; " + std::to_string(settings.budget) +
               " simulations each, a tenth of them in stage I");
  section.note(
      "best: the best placement met; policy: mean of the rollouts of the last tenth of the "
      "updates");
  section.note(
      "SEL only: earliest device; PLC only: longest path first, or what is ready first; paper: "
      "measured on four P100");
  TextRows best = {{"best"}};
  TextRows policy = {{"policy"}};
  TextRows paper = {{"paper"}};
  for (const Variant& variant : kVariants) {
    for (TextRows* table : {&best, &policy, &paper}) {
      table->push_back({variant.label});
    }
  }
  Progress progress("bench doppler: ablation",
                    settings.workloads.size() * std::size(kVariants) * settings.seeds,
                    shown_on(bench));
  for (const std::string& workload : settings.workloads) {
    const auto problem =
        bench_problem(bench, "workload:" + workload + ":4", "uniform:4", ExecutionModel::kDelay);
    Chart chart{workload + ", mean of the rollouts", "simulations", "ms", {}};
    for (TextRows* table : {&best, &policy, &paper}) {
      table->front().push_back(workload);
    }
    for (std::size_t v = 0; v < std::size(kVariants); ++v) {
      const Variant& variant = kVariants[v];
      const PolicyRequest request = parse_policy(variant.request);
      std::vector<TrainingResult> runs;
      std::vector<double> found;
      std::vector<double> means;
      for (std::uint64_t seed = 1; seed <= settings.seeds; ++seed) {
        progress.next(workload + " " + variant.label);
        const auto learner = bench.trainer->fresh(request, seed);
        const TrainingPlan plan = plan_training(
            settings.budget, bench.trainer->cost_of(request, *problem), variant.imitated);
        runs.push_back(bench.trainer->train(*learner, {problem}, plan, seed));
        found.push_back(milliseconds(*problem, runs.back().record.problems[0].best_makespan));
        means.push_back(milliseconds(*problem, last_mean(runs.back())));
        section.line({{"experiment", "ablation"},
                      {"workload", workload},
                      {"variant", variant.label},
                      {"policy", variant.request},
                      {"seed", seed},
                      {"best_milliseconds", found.back()},
                      {"policy_milliseconds", means.back()},
                      {"simulations", runs.back().record.problems[0].simulations},
                      {"seconds", runs.back().seconds}});
      }
      best[v + 1].push_back(spread_text(spread_of(found)));
      policy[v + 1].push_back(spread_text(spread_of(means)));
      const double published = published_milliseconds(variant.published, workload);
      paper[v + 1].push_back(published > 0.0 ? significant(published) : "");
      chart.curves.push_back(mean_curve(*problem, variant.label, runs));
    }
    section.charts.push_back(std::move(chart));
  }
  section.table("best placement met", std::move(best));
  section.table("what the policy gives at the end", std::move(policy));
  section.table("published", std::move(paper));
  add_measured_stages(bench, section);
  return section;
}

}  // namespace berth::launcher
