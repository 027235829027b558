// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/measured_tables.hpp"
#include "doppler_bench/methods.hpp"
#include "doppler_bench/published_doppler.hpp"
#include "doppler_bench/spread.hpp"
#include "problem_arguments.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

struct Setting {
  const char* name;
  const char* topology;
  ExecutionModel model;
};

constexpr Setting kSettings[] = {{"delay", "uniform:4", ExecutionModel::kDelay},
                                 {"links", "p100", ExecutionModel::kLinks}};

/// One row of the table of a setting, filled workload by workload.
struct Row {
  std::vector<std::string> cells;
  std::uint64_t simulations = 0;
  double seconds = 0.0;
};

nlohmann::ordered_json line_of(const Setting& setting,
                               const PlacementProblem& problem,
                               const std::string& workload,
                               const Method& method,
                               std::uint64_t seed,
                               const MethodRun& run) {
  nlohmann::ordered_json line = {
      {"experiment", "main"},
      {"model", setting.name},
      {"topology", setting.topology},
      {"workload", workload},
      {"method", method.label},
      {"policy", method.request},
      {"seed", seed},
      {"milliseconds", milliseconds(problem, run.makespan)},
      {"lower_bound_milliseconds", milliseconds(problem, problem.lower_bound)},
      {"simulations", run.simulations},
      {"seconds", run.seconds}};
  const double published = published_milliseconds(method.label, workload);
  if (published > 0.0) {
    line["published_milliseconds"] = published;
  }
  return line;
}

TextRows setting_table(const Bench& bench,
                       const Setting& setting,
                       const std::vector<Method>& chosen,
                       Progress& progress,
                       Section& section) {
  TextRows table = {{"method"}};
  TextRows bound = {{"lower bound"}};
  std::vector<Row> rows(chosen.size());
  for (const std::string& workload : bench.settings.workloads) {
    const auto problem =
        bench_problem(bench, "workload:" + workload + ":4", setting.topology, setting.model);
    table[0].push_back(workload);
    bound[0].push_back(significant(milliseconds(*problem, problem->lower_bound)));
    for (std::size_t m = 0; m < chosen.size(); ++m) {
      std::vector<double> found;
      for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
        progress.next(std::string(setting.name) + " " + workload + " " +
                      std::string(chosen[m].label));
        const MethodRun run = run_method(bench, chosen[m], problem, seed);
        found.push_back(milliseconds(*problem, run.makespan));
        rows[m].simulations = std::max(rows[m].simulations, run.simulations);
        rows[m].seconds += run.seconds;
        section.line(line_of(setting, *problem, workload, chosen[m], seed, run));
      }
      rows[m].cells.push_back(spread_text(spread_of(found)));
    }
  }
  const auto runs = static_cast<double>(bench.settings.seeds * bench.settings.workloads.size());
  table[0].insert(table[0].end(), {"simulations", "seconds a run"});
  for (const std::string& workload : bench.settings.workloads) {
    table[0].push_back(workload + ", paper");
  }
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    table.push_back({std::string(chosen[m].label)});
    table.back().insert(table.back().end(), rows[m].cells.begin(), rows[m].cells.end());
    table.back().push_back(std::to_string(rows[m].simulations));
    table.back().push_back(significant(rows[m].seconds / runs, 3));
    for (const std::string& workload : bench.settings.workloads) {
      const double value = published_milliseconds(chosen[m].label, workload);
      table.back().push_back(value > 0.0 ? significant(value) : "");
    }
  }
  bound[0].resize(table[0].size());
  table.push_back(bound[0]);
  return table;
}

void add_simulated_methods(const Bench& bench,
                           const std::vector<Method>& chosen,
                           Section& section) {
  Progress progress(
      "bench doppler: main",
      std::size(kSettings) * bench.settings.workloads.size() * chosen.size() * bench.settings.seeds,
      shown_on(bench));
  for (const Setting& setting : kSettings) {
    TextRows table = setting_table(bench, setting, chosen, progress, section);
    section.table(std::string("model ") + setting.name + ", topology " + setting.topology,
                  std::move(table));
  }
}

}  // namespace

Section main_experiment(const Bench& bench) {
  const std::vector<Method> chosen = main_methods(bench.settings);
  Section section(bench.form, "methods by workload, simulated");
  section.note("milliseconds, " + seeds_text(bench.settings.seeds) + "; at most " +
               std::to_string(bench.settings.budget) +
               " simulations each, the best placement met counts");
  section.note(
      "published costs on four devices, first in, first out; the paper's columns were measured on "
      "four P100 with other costs: for orientation");
  for (const Method& method : chosen) {
    section.note(std::string(method.label) + ": " + std::string(method.summary));
  }
  if (const std::string left_out = left_out_methods(bench.settings); !left_out.empty()) {
    section.note("left out by --quick unless --methods names them: " + left_out);
  }
  add_simulated_methods(bench, chosen, section);
  add_measured_methods(bench, chosen, section);
  return section;
}

}  // namespace berth::launcher
