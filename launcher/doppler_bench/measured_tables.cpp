// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/measured_tables.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "berth/simulator.hpp"

#include "execute_rounds.hpp"
#include "executor_arguments.hpp"
#include "policy_run.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr std::uint64_t kSeed = 1;

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
using Find =
    std::function<std::vector<Labelled>(const std::shared_ptr<const PlacementProblem>&, Progress&)>;

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

/// Measures what `find` answers for each workload; rank 0 does, the others have the same rows.
/// @param steps progress that `find` makes on a workload.
TextRows table_of(const Bench& bench,
                  const char* experiment,
                  std::size_t steps,
                  const Find& find,
                  Section& section) {
  TextRows table = {{"method"}};
  const auto workloads = static_cast<std::size_t>(std::ranges::count_if(
      kMeasured, [&](const Measured& measured) { return is_chosen(bench.settings, measured); }));
  Progress progress(
      std::string("bench doppler: ") + experiment, workloads * (steps + 1), shown_on(bench));
  for (const Measured& measured : kMeasured) {
    if (!is_chosen(bench.settings, measured)) {
      continue;
    }
    const auto problem = measured_problem(bench, measured.word);
    const std::vector<Labelled> found = find(problem, progress);
    progress.next(std::string(measured.workload) + " measured");
    if (bench.trainer->session().rank() != 0) {
      continue;
    }
    const auto executor =
        open_executor(bench.trainer->host(), bench.settings.executor, false, *problem);
    std::vector<Placement> placements;
    for (const Labelled& row : found) {
      placements.push_back(row.placement);
    }
    const std::string load = load_text();
    const std::vector<Measurement> times =
        measure_in_turn(placements, *executor, {/*warm_up=*/1, rounds(bench), /*timeout=*/10.0});
    table[0].push_back(measured.workload);
    table[0].emplace_back("/ last");
    table.resize(found.size() + 1);
    Simulator simulator(*problem);
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::vector<std::string>& row = table[i + 1];
      if (row.empty()) {
        row.push_back(found[i].label);
      }
      row.push_back(cell_of(times[i]));
      row.push_back(fixed(paired_ratio(times[i].seconds, times.back().seconds), 3));
      const double simulated = simulator.makespan(placements[i].device, placements[i].order);
      section.line({{"experiment", experiment},
                    {"workload", measured.workload},
                    {"graph", measured.word},
                    {"method", found[i].label},
                    {"seed", kSeed},
                    {"median_milliseconds", 1e3 * times[i].median_seconds},
                    {"runs_seconds", times[i].seconds},
                    {"simulated_milliseconds", milliseconds(*problem, simulated)},
                    {"executor", executor->description()},
                    {"load", load}});
    }
    section.note("measured, " + std::string(measured.workload) + " (" + measured.word +
                 "): " + executor->description() + "; load of the host " + load);
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
  return "measured: real kernels, two devices, seed " + std::to_string(kSeed) +
         "; median and quartiles in ms of " + std::to_string(rounds(bench)) +
         " rounds in which all placements run in turn; / last: median ratio to the last row within "
         "a round; costs as given, model pull; stage III: " +
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
      [&](const std::shared_ptr<const PlacementProblem>& problem, Progress& progress) {
        std::vector<Labelled> found;
        for (const Method& method : chosen) {
          if (is_measured(method)) {
            progress.next(problem->name + " " + std::string(method.label));
          }
          if (method.kind == Method::Kind::kPlace) {
            found.push_back(
                {std::string(method.label), run_method(bench, method, problem, kSeed).placement});
          } else if (method.label == "doppler") {
            const auto policy =
                bench.trainer->fresh(parse_policy(std::string(method.request)), kSeed);
            const TrainingResult trained = bench.trainer->train(
                *policy, {problem}, with_real_stage(bench, {}), kSeed, bench.settings.executor);
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
      /*steps=*/3,
      [&](const std::shared_ptr<const PlacementProblem>& problem, Progress& progress) {
        const auto untrained = bench.trainer->fresh(request, kSeed);
        const PolicyRun start = run_policy(*problem, *untrained, request.text, {1, 0.0}, kSeed);
        const std::uint64_t rollouts = plan_training(bench.settings.budget, 1, 0.1).rollouts;
        const StagePart imitation{Stage::kImitation,
                                  std::max<std::uint64_t>(1, bench.settings.budget / rollouts)};
        const auto trained = [&](const char* label,
                                 const TrainingPlan& plan,
                                 const Placement* given) {
          progress.next(problem->name + " " + label);
          const auto policy = bench.trainer->fresh(request, kSeed);
          return Labelled{
              label,
              bench.trainer->train(*policy, {problem}, plan, kSeed, bench.settings.executor, given)
                  .record.problems.front()
                  .measured.incumbent};
        };
        TrainingPlan real = with_real_stage(bench, {});
        real.stages = {real.stages.back()};
        return std::vector<Labelled>{
            trained("real", real, &start.placement),
            trained("imitation, real", with_real_stage(bench, {imitation}), nullptr),
            trained("all three", with_real_stage(bench, {}), nullptr)};
      },
      section);
  section.table("stages of the training, measured, two devices", std::move(table));
}

}  // namespace berth::launcher
