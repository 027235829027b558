// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <boost/program_options/value_semantic.hpp>

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

struct Contestant {
  std::string label;
  std::unique_ptr<PlacementPolicy> policy;
};

/// All policies are created, and so their options checked, before the first one runs.
std::vector<Contestant> contestants_of(const CommandLine& line,
                                       PluginHost& host,
                                       std::uint64_t seed,
                                       Logger& logger) {
  const bool trained = line.has("checkpoint");
  const std::filesystem::path checkpoint = trained ? line.text("checkpoint") : "";
  const std::string learned = trained ? policy_in(checkpoint) : "";
  bool used = false;
  std::vector<Contestant> contestants;
  for (const PolicyRequest& request : parse_policies(line.text("policies"))) {
    const bool learns = trained && request.name == learned;
    used = used || learns;
    contestants.push_back(
        {request.text, make_policy(host, request, learns ? &checkpoint : nullptr, seed, logger)});
  }
  if (trained && !used) {
    throw InputError("--checkpoint holds policy '" + learned + "'; --policies does not name it");
  }
  return contestants;
}

}  // namespace

int run_compare(std::span<const std::string> words) {
  CommandLine line("compare",
                   "GRAPH... --topology T --policies LIST [options]",
                   "Runs several policies on several graphs at stated budgets.\n"
                   "The gap is to the known optimum where there is one, else to the lower bound;\n"
                   "\"at reference\" counts the graphs without a gap. Many graphs print as one row "
                   "a policy;\n--json prints every graph.");
  add_problem_options(line);
  add_search_options(line);
  add_plugin_arguments(line.options());
  line.add()("policies",
             po::value<std::string>()->default_value("round-robin,critical-path,heft,annealing"),
             "comma-separated, options in brackets: heft,annealing(simulations=20000)");
  line.add()("checkpoint",
             po::value<std::string>(),
             "trained state for the policies that learn: a checkpoint, or a run's folder");
  line.add()("json", "one JSON line per graph and policy");
  if (!line.parse(words)) {
    return 0;
  }
  StderrLogger logger(LogLevel::kWarning);
  const std::unique_ptr<PluginHost> host = make_plugin_host(line.values(), logger);
  const SearchArguments search = search_of(line);
  const std::vector<Contestant> contestants = contestants_of(line, *host, search.seed, logger);
  const auto problems = problems_of(line, logger);
  std::vector<ComparedRow> rows;
  Progress progress("compare", problems.size() * contestants.size());
  for (const auto& problem : problems) {
    for (const Contestant& contestant : contestants) {
      progress.next(problem->name + ", " + contestant.label);
      const PolicyRun run =
          run_with_search(*problem, *contestant.policy, contestant.label, *host, search);
      if (line.has("json")) {
        std::printf("%s\n", result_line(*problem, run.result).dump().c_str());
        std::fflush(stdout);  // a run that is stopped leaves what it has found
      }
      rows.push_back({problem.get(), run.result});
    }
  }
  if (!line.has("json")) {
    constexpr std::size_t kDetailedGraphs = 12;
    const ExecutionOptions& execution = problems.front()->execution;
    std::printf("model %s, discipline %s, seed %llu\n\n",
                std::string(name_of(execution.model)).c_str(),
                std::string(name_of(execution.discipline)).c_str(),
                static_cast<unsigned long long>(search.seed));
    if (problems.size() <= kDetailedGraphs) {
      std::printf("%s\n", detailed(rows).c_str());
    }
    if (problems.size() > 1) {
      std::printf("%s", summary(rows).c_str());
    }
  }
  return 0;
}

}  // namespace berth::launcher
