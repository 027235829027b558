// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <string_view>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/artifact_score.hpp"
#include "berth/error.hpp"
#include "berth/logger.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/models/artifact_file.hpp"
#include "plan_operators.hpp"
#include "plan_partition.hpp"
#include "plan_ranks.hpp"
#include "plan_report.hpp"
#include "plan_training.hpp"
#include "plugin_arguments.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

po::typed_value<std::string>* artifact_word(const char* shown, const char* fallback) {
  return po::value<std::string>()->value_name(shown)->default_value(fallback);
}

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kArtifactOptions = {
    "update", "units", "recompute-cost", "fill"};
constexpr std::array<std::string_view, 5> kBesideArtifact = {
    "update", "units", "recompute-cost", "fill", "top-k"};
constexpr std::array<std::string_view, 5> kOperatorOptions = {
    "gap", "solver-seconds", "graphs", "layer-profile", "lp"};
constexpr std::array<std::string_view, 5> kEveryModesOptions = {
    "artifact", "layer-schedule", "json", "plugin", "plugin-dir"};

bool holds(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// An option of another mode would do nothing.
void refuse_all_but(const CommandLine& line, Names own, const char* mode) {
  for (const auto& [name, value] : line.values()) {
    if (!value.defaulted() && !holds(own, name) && !holds(kEveryModesOptions, name)) {
      std::string expected;
      for (const std::string_view option : own) {
        expected.append("--").append(option).append(", ");
      }
      throw InputError("berth plan: --" + name + " beside " + mode + "; expected of options " +
                       expected + "--json");
    }
  }
}

void refuse_these(const CommandLine& line, Names others, const char* mode) {
  for (const auto& [name, value] : line.values()) {
    if (!value.defaulted() && holds(others, name)) {
      throw InputError("berth plan: --" + name + " without " + mode +
                       "; expected them together, see berth plan --help");
    }
  }
}

datasets::ArtifactUnits units_of(const CommandLine& line) {
  const std::string& text = line.text("units");
  if (text == "mixed") {
    return datasets::ArtifactUnits::kMixed;
  }
  if (text == "consistent") {
    return datasets::ArtifactUnits::kConsistent;
  }
  throw InputError("--units: '" + text + "'; expected mixed or consistent");
}

std::string artifact_line(const StrategyProblem& problem,
                          const ParallelPlan& plan,
                          const ArtifactRules& rules) {
  nlohmann::ordered_json json = {
      {"model", problem.model},
      {"seconds_per_batch", plan.seconds_per_batch},
      {"scored_seconds_per_batch", score_artifact_plan(problem, plan, rules).seconds_per_batch},
      {"stages", nlohmann::ordered_json::array()}};
  for (const PlanStage& stage : plan.stages) {
    json["stages"].push_back({{"first_layer", stage.first_layer},
                              {"num_layers", stage.num_layers},
                              {"devices", stage.devices}});
  }
  return json.dump();
}

int plan_artifact(const CommandLine& line, JobRanks& ranks) {
  const datasets::ArtifactFile file =
      datasets::read_artifact_file(line.text("artifact"), units_of(line));
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  Config config = host->options(StrategyPlanner::kInterface, "nest");
  config.set("mode", "artifact");
  for (const char* name : {"update", "recompute-cost", "fill"}) {
    std::string option = name;
    std::replace(option.begin(), option.end(), '-', '_');
    config.set(option, line.text(name));
  }
  const auto planner = host->strategy_planner("nest", config, 1);
  const auto top_k = static_cast<std::uint32_t>(line.integer("top-k", 1, 1000));
  const auto start = std::chrono::steady_clock::now();
  const StrategyAnswer answer = plan_on_ranks(ranks, *planner, file.problem, top_k);
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (answer.plans.empty()) {
    refuse_infeasible(answer);
  }
  if (ranks.rank() != 0) {
    return 0;
  }
  const ArtifactRules rules{config.text("recompute_cost") == "backward",
                            config.text("fill") == "sum"};
  if (line.has("json")) {
    for (const ParallelPlan& plan : answer.plans) {
      std::printf("%s\n", artifact_line(file.problem, plan, rules).c_str());
    }
    return 0;
  }
  std::printf("%s: mode artifact, update %s, units %s, recompute cost %s, fill %s\n",
              file.problem.model.c_str(),
              config.text("update").c_str(),
              line.text("units").c_str(),
              config.text("recompute_cost").c_str(),
              config.text("fill").c_str());
  for (const ParallelPlan& plan : answer.plans) {
    const ArtifactScore score = score_artifact_plan(file.problem, plan, rules);
    std::printf("\n%s\n", plan_headline(file.problem, plan).c_str());
    std::printf("  time per batch %.9g ms; scored from the device lists %.9g ms\n\n%s",
                plan.seconds_per_batch * 1e3,
                score.seconds_per_batch * 1e3,
                plan_table(file.problem, plan).c_str());
  }
  std::fprintf(stderr, "planned in %s ms\n", significant(elapsed * 1e3).c_str());
  return 0;
}

}  // namespace

int run_plan(std::span<const std::string> words) {
  CommandLine line("plan",
                   "MODEL --cluster CLUSTER [options] | --artifact FILE [options] | "
                   "GRAPH.json [options] | --layer-schedule FILE [options]",
                   "Plans distributed training: stages, degrees and devices.");
  line.add()("artifact",
             po::value<std::string>()->value_name("FILE"),
             "planner JSON of the NEST artifact; plans as the artifact does")(
      "update",
      artifact_word("RULE", "exact"),
      "artifact mode: artifact (its recurrence) or exact")(
      "units",
      artifact_word("UNITS", "mixed"),
      "artifact mode: mixed (as the artifact) or consistent")(
      "recompute-cost", artifact_word("COST", "backward"), "artifact mode: backward or forward")(
      "fill", artifact_word("FILL", "max"), "artifact mode: max, (b+S-1) slowest stages, or sum")(
      "top-k", artifact_word("K", "1"), "how many plans to show")("json", "one JSON line a plan");
  add_training_options(line);
  add_partition_options(line);
  add_operator_options(line);
  add_plugin_arguments(line.options());
  if (!line.parse(words)) {
    return 0;
  }
  const std::vector<std::string>& models = line.positional();
  const bool artifact = line.has("artifact");
  const bool operators = line.has("layer-schedule");
  if (artifact || operators) {
    const char* const option = artifact ? "--artifact" : "--layer-schedule";
    if (!models.empty() || (artifact && operators)) {
      throw InputError("berth plan: '" + (models.empty() ? "--layer-schedule" : models.front()) +
                       "' beside " + option + "; expected one of them");
    }
    if (operators) {
      refuse_all_but(line, kOperatorOptions, option);
      return JobRanks::run(
          [&](JobRanks& ranks) { return ranks.rank() == 0 ? plan_operators(line) : 0; });
    }
    refuse_all_but(line, kBesideArtifact, option);
    return JobRanks::run([&](JobRanks& ranks) { return plan_artifact(line, ranks); });
  }
  if (models.size() != 1) {
    throw InputError("berth plan: " + std::to_string(models.size()) +
                     " models; expected one, such as llama3-70b, a config.json, "
                     "--artifact FILE or --layer-schedule FILE");
  }
  if (is_partition_file(models.front())) {
    return JobRanks::run([&](JobRanks& ranks) {
      return ranks.rank() == 0 ? plan_partition(line, models.front()) : 0;
    });
  }
  refuse_partition_options(line);
  refuse_these(line, kArtifactOptions, "--artifact");
  refuse_these(line, kOperatorOptions, "--layer-schedule");
  return JobRanks::run([&](JobRanks& ranks) { return plan_training(line, models.front(), ranks); });
}

}  // namespace berth::launcher
