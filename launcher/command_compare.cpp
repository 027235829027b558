// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "policy_run.hpp"
#include "problem_arguments.hpp"
#include "progress.hpp"
#include "result_line.hpp"
#include "search_arguments.hpp"
#include "table.hpp"
#include "trained_policy.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

struct ComparedRow {
  const PlacementProblem* problem;
  std::string label;  ///< As in --policies.
  PlacementResult result;
};

/// One line per graph and policy.
std::string detailed(const std::vector<ComparedRow>& rows) {
  Table table({"graph",
               "policy",
               "makespan",
               "time",
               "lower bound",
               "optimum",
               "gap",
               "simulations",
               "seconds"});
  for (const ComparedRow& row : rows) {
    const PlacementProblem& problem = *row.problem;
    table.add_row({problem.name,
                   row.result.policy,
                   significant(row.result.makespan, 7),
                   format(Seconds{row.result.makespan * problem.costs.seconds_per_unit}),
                   significant(row.result.lower_bound, 7),
                   problem.optimum ? significant(*problem.optimum, 7) : "-",
                   percent(gap_of(problem, row.result.makespan, row.result.lower_bound)),
                   std::to_string(row.result.simulations),
                   fixed(row.result.seconds, 3)});
  }
  return table.text();
}

/// One line per policy over all graphs.
std::string summary(const std::vector<ComparedRow>& rows) {
  std::map<std::string, std::vector<const ComparedRow*>> by_policy;
  std::vector<std::string> order;
  for (const ComparedRow& row : rows) {
    auto& list = by_policy[row.result.policy];
    if (list.empty()) {
      order.push_back(row.result.policy);
    }
    list.push_back(&row);
  }
  Table table({"policy",
               "graphs",
               "mean gap",
               "median gap",
               "worst gap",
               "at reference",
               "simulations",
               "seconds"});
  for (const std::string& policy : order) {
    std::vector<double> gaps;
    std::uint64_t simulations = 0;
    double seconds = 0.0;
    double sum = 0.0;
    for (const ComparedRow* row : by_policy[policy]) {
      gaps.push_back(gap_of(*row->problem, row->result.makespan, row->result.lower_bound));
      sum += gaps.back();
      simulations += row->result.simulations;
      seconds += row->result.seconds;
    }
    std::sort(gaps.begin(), gaps.end());
    const auto exact = std::count_if(gaps.begin(), gaps.end(), [](double g) { return g < 1e-9; });
    table.add_row({policy,
                   std::to_string(gaps.size()),
                   percent(sum / static_cast<double>(gaps.size())),
                   percent(gaps[gaps.size() / 2]),
                   percent(gaps.back()),
                   std::to_string(exact),
                   std::to_string(simulations),
                   fixed(seconds, 3)});
  }
  return table.text();
}

/// A policy against another, graph by graph.
struct Duel {
  std::string policy;
  /// Geometric mean of makespans over the other's, of graphs that take time under both.
  double ratio = 1.0;
  double worst = 0.0;
  std::size_t better = 0;
  std::size_t worse = 0;
  std::size_t graphs = 0;
};

/// Two policies that take no time are level; against one that takes none any time is infinite.
double ratio_of(double makespan, double other) {
  if (other > 0.0) {
    return makespan / other;
  }
  return makespan > 0.0 ? std::numeric_limits<double>::infinity() : 1.0;
}

std::vector<Duel> duels(const std::vector<ComparedRow>& rows, const std::string& against) {
  std::map<const PlacementProblem*, double> reference;
  std::vector<std::string> order;
  for (const ComparedRow& row : rows) {
    if (row.label == against) {
      reference[row.problem] = row.result.makespan;
    } else if (std::ranges::count(order, row.label) == 0) {
      order.push_back(row.label);
    }
  }
  std::vector<Duel> found;
  for (const std::string& policy : order) {
    constexpr double kEqual = 1e-9;
    double logarithms = 0.0;
    std::size_t timed = 0;
    Duel duel{policy};
    for (const ComparedRow& row : rows) {
      const auto found_by_other = reference.find(row.problem);
      if (row.label != policy || found_by_other == reference.end()) {
        continue;
      }
      const double other = found_by_other->second;
      const double ratio = ratio_of(row.result.makespan, other);
      ++duel.graphs;
      if (row.result.makespan > 0.0 && other > 0.0) {
        logarithms += std::log(ratio);
        ++timed;
      }
      duel.worst = std::max(duel.worst, ratio);
      duel.better += ratio < 1.0 - kEqual ? 1 : 0;
      duel.worse += ratio > 1.0 + kEqual ? 1 : 0;
    }
    duel.ratio = std::exp(logarithms / static_cast<double>(std::max<std::size_t>(1, timed)));
    if (duel.graphs > 0) {
      found.push_back(duel);
    }
  }
  return found;
}

std::string duel_table(const std::vector<Duel>& found, const std::string& against) {
  Table table({"policy", "makespan / " + against, "better", "equal", "worse", "worst"});
  for (const Duel& duel : found) {
    table.add_row({duel.policy,
                   fixed(duel.ratio, 4),
                   std::to_string(duel.better),
                   std::to_string(duel.graphs - duel.better - duel.worse),
                   std::to_string(duel.worse),
                   fixed(duel.worst, 3)});
  }
  return table.text();
}

void print_duel_lines(const std::vector<Duel>& found, const std::string& against) {
  for (const Duel& duel : found) {
    const nlohmann::ordered_json line = {{"policy", duel.policy},
                                         {"against", against},
                                         {"graphs", duel.graphs},
                                         {"makespan_ratio", duel.ratio},
                                         {"better", duel.better},
                                         {"worse", duel.worse},
                                         {"worst_ratio", duel.worst}};
    std::printf("%s\n", line.dump().c_str());
  }
}

void print_failure_line(const PlacementProblem& problem,
                        const std::string& policy,
                        const char* reason) {
  const nlohmann::ordered_json line = {
      {"graph", problem.name}, {"policy", policy}, {"error", reason}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

struct Contestant {
  std::string label;
  MadePolicy made;
};

/// All policies are created, and so their options checked, before the first one runs.
std::vector<Contestant> contestants_of(const CommandLine& line,
                                       PluginHost& host,
                                       std::uint64_t seed,
                                       Logger& logger) {
  const std::string checkpoint = checkpoint_of(line);
  const bool trained = !checkpoint.empty() && checkpoint != "none";
  const std::string learned = trained ? policy_in(checkpoint) : "";
  bool used = false;
  std::vector<Contestant> contestants;
  for (const PolicyRequest& request : distinct_policies("policies", line.text("policies"))) {
    const bool learns = trained && request.name == learned;
    used = used || learns;
    contestants.push_back(
        {request.text,
         make_policy(host, request, learns || !trained ? checkpoint : "", seed, logger)});
  }
  if (trained && !used) {
    throw InputError("--checkpoint holds policy '" + learned + "'; --policies does not name it");
  }
  return contestants;
}

}  // namespace

int run_compare(std::span<const std::string> words) {
  CommandLine line(
      "compare",
      "GRAPH... --topology T --policies LIST [options]",
      "Runs several policies on several graphs at stated budgets.\n"
      "The gap is to the known optimum where there is one, else to the lower bound;\n"
      "\"at reference\" counts the graphs without a gap. Many graphs print as one row "
      "a policy;\n--json prints every graph. Where a policy finds no placement that fits, it is "
      "told\nso on standard error, the others go on, rows of many graphs are over those that "
      "each\npolicy placed, and the exit code is 4.");
  add_problem_options(line);
  add_search_options(line);
  add_plugin_arguments(line.options());
  line.add()("policies",
             po::value<std::string>()->default_value("round-robin,critical-path,heft,annealing"),
             "comma-separated, options in brackets: heft,annealing(simulations=20000)");
  line.add()("checkpoint", po::value<std::string>(), kCheckpointHelp);
  line.add()("against",
             po::value<std::string>(),
             "one of the policies: how the others do relative to it, as the geometric mean of "
             "makespans and the graphs that each wins and loses, with --refine all refined");
  line.add()("json", "one JSON line per graph and policy");
  if (!line.parse(words)) {
    return 0;
  }
  StderrLogger logger(LogLevel::kWarning);
  const std::unique_ptr<PluginHost> host = make_plugin_host(line.values(), logger);
  const SearchArguments search = search_of(line);
  const std::vector<Contestant> contestants = contestants_of(line, *host, search.seed, logger);
  if (line.has("against") &&
      std::ranges::count(contestants, line.text("against"), &Contestant::label) == 0) {
    std::string names;
    for (const Contestant& contestant : contestants) {
      names += (names.empty() ? "" : ", ") + contestant.label;
    }
    throw InputError("--against '" + line.text("against") +
                     "': not one of --policies; expected one of " + names);
  }
  if (line.has("against") && contestants.size() == 1) {
    throw InputError("--against '" + line.text("against") +
                     "': the only one of --policies; expected another policy beside it");
  }
  const auto problems = problems_of(line, logger);
  std::vector<ComparedRow> rows;
  bool all_placed = true;
  Progress progress("compare", problems.size() * contestants.size());
  for (const auto& problem : problems) {
    warn_without_rates(*problem, logger);
    for (const Contestant& contestant : contestants) {
      progress.next(problem->name + ", " + contestant.label);
      PolicyRun run;
      try {
        run = run_with_search(*problem, *contestant.made.policy, contestant.label, *host, search);
      } catch (const SolverError& error) {  // The others may place it, and it the others.
        all_placed = false;
        logger.error(error.what(), {{"policy", contestant.label}, {"graph", problem->name}});
        if (line.has("json")) {
          const bool refined = search.refine_simulations > 0;
          print_failure_line(*problem, contestant.label + (refined ? "+refine" : ""), error.what());
        }
        continue;
      }
      if (line.has("json")) {
        std::printf("%s\n", result_line(*problem, run.result).dump().c_str());
        std::fflush(stdout);  // a run that is stopped leaves what it has found
      }
      if (is_memory_packing(*problem, run.placement)) {
        logger.warning(kPackingWarning, {{"policy", contestant.label}, {"graph", problem->name}});
      }
      rows.push_back({problem.get(), contestant.label, run.result});
    }
  }
  if (line.has("json")) {
    if (line.has("against")) {
      print_duel_lines(duels(rows, line.text("against")), line.text("against"));
    }
  } else if (!rows.empty()) {
    constexpr std::size_t kDetailedGraphs = 12;
    const ExecutionOptions& execution = problems.front()->execution;
    std::printf("model %s, discipline %s, seed %llu\n",
                model_text(execution).c_str(),
                std::string(name_of(execution.discipline)).c_str(),
                static_cast<unsigned long long>(search.seed));
    if (problems.size() <= kDetailedGraphs) {
      std::printf("\n%s", detailed(rows).c_str());
    }
    if (problems.size() > 1) {
      std::printf("\n%s", summary(rows).c_str());
    }
    if (line.has("against")) {
      std::printf("\n%s",
                  duel_table(duels(rows, line.text("against")), line.text("against")).c_str());
    }
    const char* separator = "\n";
    for (const Contestant& contestant : contestants) {
      if (!contestant.made.weights.empty()) {
        std::printf("%sweights of %s: %s\n",
                    separator,
                    contestant.label.c_str(),
                    contestant.made.weights.c_str());
        separator = "";
      }
    }
  }
  return static_cast<int>(all_placed ? ExitCode::kOk : ExitCode::kSolver);
}

}  // namespace berth::launcher
