// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// `berth bench doppler`: the experiments of the DOPPLER paper, run again from nothing.

#include <algorithm>
#include <array>
#include <cstdio>

#include <boost/program_options/value_semantic.hpp>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/topology.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/workloads/layered_random.hpp"
#include "datasets/workloads/workload_word.hpp"
#include "distinct_words.hpp"
#include "doppler_bench/experiments.hpp"
#include "doppler_bench/measured_tables.hpp"
#include "doppler_bench/methods.hpp"
#include "doppler_bench/section_report.hpp"
#include "farm/agree.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "problem_arguments.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

struct Experiment {
  std::string_view name;
  Section (*run)(const Bench& bench);
  bool measures = false;       ///< Has tables that --executor fills.
  bool has_methods = false;    ///< Has the rows that --methods names.
  bool has_workloads = false;  ///< Runs what --workloads names, not graphs of its own.
  bool has_budget = false;     ///< Stops at --budget.
};

constexpr std::array kExperiments = {
    Experiment{.name = "main",
               .run = main_experiment,
               .measures = true,
               .has_methods = true,
               .has_workloads = true,
               .has_budget = true},
    Experiment{.name = "ablation",
               .run = ablation_experiment,
               .measures = true,
               .has_workloads = true,
               .has_budget = true},
    Experiment{.name = "transfer", .run = transfer_experiment, .has_budget = true},
    Experiment{.name = "scaling", .run = scaling_experiment},
    Experiment{.name = "large", .run = large_experiment},
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

void declare_doppler(CommandLine& line) {
  std::vector<std::string> experiments;
  for (const Experiment& experiment : kExperiments) {
    experiments.emplace_back(experiment.name);
  }
  std::vector<std::string> labels;
  for (const Method& method : methods()) {
    labels.emplace_back(method.label);
  }
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  auto add = line.add();
  add("experiment",
      text("NAMES")->default_value("all"),
      ("all, or some of " + joined(experiments)).c_str());
  add("seeds", text("N")->default_value("3"), "runs of each method, seeds 1, 2, ...");
  add("budget",
      text("N")->default_value("4000"),
      "simulations that each method may spend on a problem");
  add("methods",
      text("NAMES"),
      ("rows of the main table: " + joined(labels) + "; --quick: all but placeto and placeto-once")
          .c_str());
  add("workloads",
      text("NAMES")->default_value("chain-mm,ffnn,llama-block,llama-layer"),
      "workloads of the main table and the ablations");
  add("executor",
      text("NAME")->default_value("cpu"),
      "what runs the placements of measured tables, on two devices of this host; none: no such "
      "tables");
  add("quick", "a small part of everything: one seed, 200 simulations, two workloads");
  add("html", text("FILE"), "also write a page with the learning curves");
  add("json", "one JSON line a result");
  add_plugin_arguments(line.options());
}

BenchSettings settings_of(const CommandLine& line) {
  BenchSettings settings;
  settings.seeds = static_cast<std::uint64_t>(line.integer("seeds", 1, 1000));
  settings.budget = static_cast<std::uint64_t>(line.integer("budget", 1, 1'000'000'000));
  settings.workloads = words_of(line.text("workloads"));
  check_distinct("workloads", settings.workloads);
  settings.quick = line.has("quick");
  settings.executor = line.text("executor") == "none" ? "" : line.text("executor");
  if (line.text("executor") != "none") {
    static_cast<void>(parse_policy(settings.executor, kExecutorWords));
  }
  if (settings.quick) {
    for (const char* option : {"seeds", "budget", "workloads"}) {
      if (!line.values()[option].defaulted()) {
        throw InputError("--" + std::string(option) +
                         ": --quick has its own; expected one without the other");
      }
    }
    settings.seeds = 1;
    settings.budget = 200;
    settings.workloads = {"chain-mm", "llama-layer"};
  }
  for (const std::string& workload : settings.workloads) {
    static_cast<void>(datasets::make_workload_of("workload:" + workload));
  }
  if (line.has("methods")) {
    settings.methods = words_of(line.text("methods"));
    check_distinct("methods", settings.methods);
    static_cast<void>(methods_of(settings.methods));
  }
  return settings;
}

std::vector<Experiment> experiments_of(const std::string& list) {
  if (list == "all") {
    return {kExperiments.begin(), kExperiments.end()};
  }
  std::vector<Experiment> chosen;
  const std::vector<std::string> words = words_of(list);
  for (const std::string& word : words) {
    const auto found = std::ranges::find(kExperiments, word, &Experiment::name);
    if (found == kExperiments.end()) {
      if (word == "all") {
        throw InputError("--experiment: '" + list + "'; expected all alone, or a list without it");
      }
      std::string known = "all";
      for (const Experiment& experiment : kExperiments) {
        known += ", " + std::string(experiment.name);
      }
      throw InputError("--experiment: '" + word + "'; expected " + known);
    }
    chosen.push_back(*found);
  }
  check_distinct("experiment", words);
  return chosen;
}

bool names_executor(const CommandLine& line) {
  return !line.values()["executor"].defaulted() && line.text("executor") != "none";
}

/// @throws InputError if an option is given that none of the experiments heeds.
void check_heeded(const CommandLine& line,
                  const BenchSettings& settings,
                  const std::vector<Experiment>& experiments) {
  const auto given = [&line](const char* option) {
    return line.has(option) && !line.values()[option].defaulted();
  };
  const auto heeds = [&experiments](bool Experiment::*part) {
    return std::ranges::any_of(experiments, part);
  };
  if (given("methods") && !heeds(&Experiment::has_methods)) {
    throw InputError("--methods: only --experiment main has rows of methods; drop one of the two");
  }
  if (given("workloads") && !heeds(&Experiment::has_workloads)) {
    throw InputError(
        "--workloads: only --experiment main and ablation run workloads that can be named; drop "
        "one of the two");
  }
  if (given("budget") && !heeds(&Experiment::has_budget)) {
    throw InputError(
        "--budget: only --experiment main, ablation and transfer count simulations; drop one of "
        "the two");
  }
  if (names_executor(line) && !heeds(&Experiment::measures)) {
    throw InputError(
        "--executor: only --experiment main and ablation measure; drop one of the two");
  }
  if (names_executor(line) && measures_nothing(settings)) {
    throw InputError("--executor: nothing to measure, there being no size for " +
                     unmeasured_workloads(settings) + "; expected some of " + measured_workloads() +
                     " among --workloads");
  }
}

int run(const CommandLine& line, MpiSession& session) {
  StderrLogger logger(session.rank() == 0 ? LogLevel::kWarning : LogLevel::kError);
  const auto host = make_plugin_host(line.values(), logger);
  const Trainer trainer(session, *host, logger);
  const SectionForm form = session.rank() != 0 ? SectionForm::kSilent
                           : line.has("json")  ? SectionForm::kLines
                                               : SectionForm::kText;
  const Bench bench{&trainer, &logger, form, settings_of(line)};
  const std::vector<Experiment> experiments = experiments_of(line.text("experiment"));
  const bool runs_placements = session.rank() == 0 || session.rank() == session.size() - 1;
  const int refused = agree(session, [&] {
    if (runs_placements && std::ranges::any_of(experiments, &Experiment::measures)) {
      try_executor(*host, bench.settings, logger);
    }
  });
  if (refused != 0) {
    return refused;
  }
  const std::string unmeasured = unmeasured_workloads(bench.settings);
  if (session.rank() == 0 && names_executor(line) && !unmeasured.empty()) {
    logger.warning("--executor: some workloads are not measured, there being no size for them",
                   {{"not_measured", unmeasured}});
  }
  std::vector<Section> sections;
  for (const Experiment& experiment : experiments) {
    if (bench.form == SectionForm::kText && !sections.empty()) {
      std::printf("\n");
    }
    sections.push_back(experiment.run(bench));
  }
  if (session.rank() == 0 && line.has("html")) {
    write_section_page(sections, line.text("html"));
  }
  return 0;
}

}  // namespace

double milliseconds(const PlacementProblem& problem, double makespan) {
  return makespan * problem.costs.seconds_per_unit * 1e3;
}

std::shared_ptr<const PlacementProblem> bench_problem(const Bench& bench,
                                                      const std::string& graph,
                                                      const std::string& topology,
                                                      ExecutionModel model) {
  ExecutionOptions execution;
  execution.model = model;
  execution.discipline = Discipline::kFifo;
  return load_problem(graph, topology, execution, std::nullopt, *bench.logger);
}

std::shared_ptr<const PlacementProblem> layered_problem(std::size_t ops,
                                                        std::size_t devices,
                                                        std::uint64_t seed,
                                                        double ccr) {
  datasets::LayeredSpec spec;
  spec.ccr = ccr;
  spec.ops = ops;
  spec.seed = seed;
  ExecutionOptions execution;
  execution.discipline = Discipline::kFifo;
  return make_problem("layered-" + std::to_string(ops) + "-" + std::to_string(seed),
                      datasets::make_layered_random(spec),
                      Topology::uniform(devices),
                      execution);
}

int run_bench_doppler(std::span<const std::string> words) {
  CommandLine line(
      "bench doppler",
      "[options]",
      "The DOPPLER paper's experiments in the simulator; alone, or on many ranks under "
      "mpirun with the same results.");
  declare_doppler(line);
  if (!line.parse(words)) {
    return 0;
  }
  if (!line.positional().empty()) {
    throw InputError("berth bench doppler: '" + line.positional()[0] + "'; expected options alone");
  }
  check_heeded(line, settings_of(line), experiments_of(line.text("experiment")));
  check_output_files(line, {"html"});
  MpiSession session;
  return end_all_on_failure(session, [&] { return run(line, session); });
}

}  // namespace berth::launcher
