// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/measured_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "berth/simulator.hpp"

#include "doppler_bench/spread.hpp"
#include "execute_rounds.hpp"
#include "executor_arguments.hpp"
#include "policy_run.hpp"
#include "progress.hpp"
#include "quartiles.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

struct Measured {
  const char* workload;
  const char* word;  ///< With physical costs, of a size that runs in 10 to 100 ms.
};

constexpr Measured kMeasured[] = {
    {"chain-mm", "workload:chain-mm:2:physical:i800j800k800l800m800"},
    {"ffnn", "workload:ffnn:2:physical:b2048h4096"},
    {"llama-layer", "workload:llama-layer:2:physical:s256h512n8d64f1376v2000"},
};

struct Labelled {
  std::string label;
  Placement placement;
};
/// The placements that each row of a table measures, by seed.
using Find = std::function<std::vector<Labelled>(
    const std::shared_ptr<const PlacementProblem>&, std::uint64_t seed, Progress&)>;

bool is_chosen(const BenchSettings& settings, const Measured& measured) {
  return std::ranges::find(settings.workloads, measured.workload) != settings.workloads.end();
}

std::shared_ptr<const PlacementProblem> measured_problem(const Bench& bench, const char* word) {
  return bench_problem(bench, word, "cpu:2", ExecutionModel::kPull);
}

/// How many updates measure: ten, fewer for a small budget.
std::uint64_t real_updates(const Bench& bench) {
  return std::clamp<std::uint64_t>(bench.settings.budget / 400, 1, 10);
}

std::uint32_t rounds(const Bench& bench) {
  return bench.settings.budget < 1000 ? 3 : 15;
}

std::string load_text() {
  double load = 0.0;
  return getloadavg(&load, 1) == 1 ? fixed(load, 1) : "unknown";
}

std::string cell_of(const Measurement& measured) {
  if (measured.status != RolloutStatus::kOk) {
    return measured.reason.empty() ? "failed" : measured.reason;
  }
  const Quartiles quartiles = quartiles_of(measured.seconds);
  return significant(1e3 * quartiles.median) + " (" + significant(1e3 * quartiles.first, 3) +
         " - " + significant(1e3 * quartiles.third, 3) + ")";
}

/// A placement's runs, and how they compare with those of the last row's placement of that seed.
struct Times {
  Measurement measured;
  double over_last = 0.0;  ///< NaN where either failed.
};

/// Of one row's times, one a seed: median and quartiles, or the spread of the medians over seeds;
/// where a run failed, why.
std::string cell_of(std::span<const Times> seeds) {
  const auto failed = std::ranges::find_if(
      seeds, [](const Times& times) { return times.measured.status != RolloutStatus::kOk; });
  if (failed != seeds.end() || seeds.size() == 1) {
    return cell_of((failed != seeds.end() ? *failed : seeds.front()).measured);
  }
  std::vector<double> medians;
  for (const Times& times : seeds) {
    medians.push_back(1e3 * times.measured.median_seconds);
  }
  return spread_text(spread_of(medians));
}

std::string over_last(std::span<const Times> seeds) {
  std::vector<double> ratios;
  for (const Times& times : seeds) {
    if (std::isfinite(times.over_last)) {
      ratios.push_back(times.over_last);
    }
  }
  if (ratios.empty()) {
    return "-";
  }
  const Spread spread = spread_of(ratios);
  return fixed(spread.mean, 3) + (seeds.size() > 1 ? " ±" + fixed(spread.deviation, 3) : "");
}

/// Runs the placements of one seed in turn and adds a line for each.
std::vector<Times> measure(const Bench& bench,
                           const char* experiment,
                           const Measured& of,
                           const PlacementProblem& problem,
                           std::span<const Labelled> found,
                           std::uint64_t seed,
                           DeviceExecutor& executor,
                           Section& section) {
  std::vector<Placement> placements;
  for (const Labelled& row : found) {
    placements.push_back(row.placement);
  }
  const std::string load = load_text();
  const std::vector<Measurement> measured =
      measure_in_turn(placements, executor, {/*warm_up=*/1, rounds(bench), /*timeout=*/10.0});
  Simulator simulator(problem);
  std::vector<Times> times;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool ran =
        measured[i].status == RolloutStatus::kOk && measured.back().status == RolloutStatus::kOk;
    times.push_back({measured[i],
                     ran ? paired_ratio(measured[i].seconds, measured.back().seconds)
                         : std::numeric_limits<double>::quiet_NaN()});
    const double simulated = simulator.makespan(placements[i].device, placements[i].order);
    section.line({{"experiment", experiment},
                  {"workload", of.workload},
                  {"graph", of.word},
                  {"method", found[i].label},
                  {"seed", seed},
                  {"median_milliseconds", 1e3 * measured[i].median_seconds},
                  {"runs_seconds", measured[i].seconds},
                  {"over_last", times.back().over_last},
                  {"simulated_milliseconds", milliseconds(problem, simulated)},
                  {"executor", executor.description()},
                  {"load", load}});
  }
  section.note("measured, " + std::string(of.workload) + " (" + of.word + "), seed " +
               std::to_string(seed) + ": " + executor.description() + "; load of the host " + load);
  return times;
}

/// Measures what `find` answers for each workload and seed; rank 0 does, the others have no rows.
/// @param steps progress that `find` makes on a workload, a seed.
TextRows table_of(const Bench& bench,
                  const char* experiment,
                  std::size_t steps,
                  const Find& find,
                  Section& section) {
  TextRows table = {{"method"}};
  const auto workloads = static_cast<std::size_t>(std::ranges::count_if(
      kMeasured, [&](const Measured& measured) { return is_chosen(bench.settings, measured); }));
  Progress progress(std::string("bench doppler: ") + experiment,
                    workloads * bench.settings.seeds * (steps + 1),
                    shown_on(bench));
  for (const Measured& measured : kMeasured) {
    if (!is_chosen(bench.settings, measured)) {
      continue;
    }
    const auto problem = measured_problem(bench, measured.word);
    std::vector<std::string> labels;
    std::vector<std::vector<Times>> rows;  // [rows][seeds]
    for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
      const std::vector<Labelled> found = find(problem, seed, progress);
      progress.next(std::string(measured.workload) + " measured");
      if (bench.trainer->session().rank() == 0) {
        const auto executor =
            open_executor(bench.trainer->host(), bench.settings.executor, false, *problem);
        const std::vector<Times> times =
            measure(bench, experiment, measured, *problem, found, seed, *executor, section);
        labels.resize(found.size());
        rows.resize(found.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          labels[i] = found[i].label;
          rows[i].push_back(times[i]);
        }
      }
      std::string measured_now;  // Until then the other ranks leave the cores alone.
      bench.trainer->session().broadcast(measured_now, "measured runs");
    }
    table[0].push_back(measured.workload);
    table[0].emplace_back("/ last");
    table.resize(rows.size() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::string>& row = table[i + 1];
      if (row.empty()) {
        row.push_back(labels[i]);
      }
      row.push_back(cell_of(rows[i]));
      row.push_back(over_last(rows[i]));
    }
  }
  return table;
}

TrainingPlan with_real_stage(const Bench& bench, std::vector<StagePart> parts) {
  TrainingPlan plan = plan_training(bench.settings.budget, 1, 0.1);
  if (parts.empty()) {
    parts = plan.stages;
  }
  parts.push_back({Stage::kReal, real_updates(bench)});
  plan.stages = std::move(parts);
  return plan;
}

std::string how_measured(const Bench& bench) {
  const std::string values = bench.settings.seeds == 1
                                 ? "median and quartiles in ms of "
                                 : seeds_text(bench.settings.seeds) + " of the median in ms of ";
  return "measured: real kernels, two devices, " + values + std::to_string(rounds(bench)) +
         " rounds in which all placements of a seed run in turn; / last: median ratio to the last "
         "row within a round; costs as given, model pull; stage III: " +
         std::to_string(real_updates(bench)) + " updates of at most four measured rollouts";
}

/// Notes how is measured and what is not. @return whether anything is.
bool note_measuring(const Bench& bench, const std::string& how, Section& section) {
  if (bench.settings.executor.empty()) {
    return false;
  }
  if (measures_nothing(bench.settings)) {
    section.note("measured: nothing; there are sizes for " + measured_workloads() + " alone");
    return false;
  }
  section.note(how);
  if (const std::string left = unmeasured_workloads(bench.settings); !left.empty()) {
    section.note("not measured, there being no size for it: " + left);
  }
  return true;
}

}  // namespace

std::string unmeasured_workloads(const BenchSettings& settings) {
  std::string list;
  for (const std::string& workload : settings.workloads) {
    if (std::ranges::find(kMeasured, workload, &Measured::workload) == std::end(kMeasured)) {
      list += (list.empty() ? "" : ", ") + workload;
    }
  }
  return list;
}

bool measures_nothing(const BenchSettings& settings) {
  return std::ranges::none_of(
      kMeasured, [&](const Measured& measured) { return is_chosen(settings, measured); });
}

std::string measured_workloads() {
  std::string list;
  for (const Measured& measured : kMeasured) {
    list += (list.empty() ? "" : ", ") + std::string(measured.workload);
  }
  return list;
}

void try_executor(PluginHost& host, const BenchSettings& settings, Logger& logger) {
  const auto* const first = std::ranges::find_if(
      kMeasured, [&](const Measured& measured) { return is_chosen(settings, measured); });
  if (settings.executor.empty() || first == std::end(kMeasured)) {
    return;
  }
  const Bench bench{nullptr, &logger, SectionForm::kSilent, settings};
  const auto problem = measured_problem(bench, first->word);
  static_cast<void>(open_executor(host, settings.executor, false, *problem));
}

void add_measured_methods(const Bench& bench, std::span<const Method> chosen, Section& section) {
  if (!note_measuring(bench, how_measured(bench), section)) {
    return;
  }
  const auto is_measured = [](const Method& method) {
    return method.kind == Method::Kind::kPlace || method.label == "doppler";
  };
  TextRows table = table_of(
      bench,
      "measured",
      static_cast<std::size_t>(std::ranges::count_if(chosen, is_measured)),
      [&](const std::shared_ptr<const PlacementProblem>& problem,
          std::uint64_t seed,
          Progress& progress) {
        std::vector<Labelled> found;
        for (const Method& method : chosen) {
          if (is_measured(method)) {
            progress.next(problem->name + " " + std::string(method.label));
          }
          if (method.kind == Method::Kind::kPlace) {
            found.push_back(
                {std::string(method.label), run_method(bench, method, problem, seed).placement});
          } else if (method.label == "doppler") {
            const auto policy =
                bench.trainer->fresh(parse_policy(std::string(method.request)), seed);
            const TrainingResult trained = bench.trainer->train(
                *policy, {problem}, with_real_stage(bench, {}), seed, bench.settings.executor);
            const ProblemRecord& record = trained.record.problems.front();
            found.push_back({"doppler-sim", record.best});
            found.push_back({"doppler-sys", record.measured.incumbent});
          }
        }
        return found;
      },
      section);
  section.table("measured, two devices", std::move(table));
}

void add_measured_stages(const Bench& bench, Section& section) {
  if (!note_measuring(
          bench,
          how_measured(bench) + "; real runs alone start from the untrained policy's placement",
          section)) {
    return;
  }
  const PolicyRequest request = parse_policy("doppler(refine_simulations=0,deep=0)");
  TextRows table = table_of(
      bench,
      "measured-stages",
      /*steps=*/4,
      [&](const std::shared_ptr<const PlacementProblem>& problem,
          std::uint64_t seed,
          Progress& progress) {
        const auto untrained = bench.trainer->fresh(request, seed);
        const PolicyRun start = run_policy(*problem, *untrained, request.text, {1, 0.0}, seed);
        const std::uint64_t rollouts = plan_training(bench.settings.budget, 1, 0.1).rollouts;
        const StagePart imitation{Stage::kImitation,
                                  std::max<std::uint64_t>(1, bench.settings.budget / rollouts)};
        const auto trained = [&](const char* label,
                                 const TrainingPlan& plan,
                                 const Placement* given) {
          progress.next(problem->name + " " + label);
          const auto policy = bench.trainer->fresh(request, seed);
          return Labelled{
              label,
              bench.trainer->train(*policy, {problem}, plan, seed, bench.settings.executor, given)
                  .record.problems.front()
                  .measured.incumbent};
        };
        TrainingPlan real = with_real_stage(bench, {});
        real.stages = {real.stages.back()};
        return std::vector<Labelled>{
            trained("real", real, &start.placement),
            trained("imitation, real", with_real_stage(bench, {imitation}), nullptr),
            trained("simulation, real",
                    with_real_stage(bench, plan_training(bench.settings.budget, 1, 0.0).stages),
                    nullptr),
            trained("all three", with_real_stage(bench, {}), nullptr)};
      },
      section);
  section.table("stages of the training, measured, two devices", std::move(table));
}

}  // namespace berth::launcher
