// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/placement_file.hpp"
#include "datasets/trace_file.hpp"
#include "output_files.hpp"
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

void print_result(const PlacementProblem& problem, const PlacementResult& result) {
  Table table({"policy", "makespan", "time", "lower bound", "gap", "simulations", "seconds"});
  table.add_row({result.policy,
                 significant(result.makespan, 8),
                 format(Seconds{result.makespan * problem.costs.seconds_per_unit}),
                 significant(result.lower_bound, 8),
                 percent(gap_of(problem, result.makespan, result.lower_bound)),
                 std::to_string(result.simulations),
                 fixed(result.seconds, 3)});
  std::printf("%s on %s, model %s\n\n%s",
              problem.name.c_str(),
              problem.topology.name().c_str(),
              model_text(problem.execution).c_str(),
              table.text().c_str());
}

}  // namespace

int run_place(std::span<const std::string> words) {
  CommandLine line("place",
                   "GRAPH --topology T --policy P [--out placement.json] [options]",
                   "Places the ops of one graph on devices by one policy.");
  add_problem_options(line);
  add_search_options(line);
  add_plugin_arguments(line.options());
  line.add()(
      "policy", po::value<std::string>(), "heft, annealing(simulations=20000), doppler, ...");
  line.add()("checkpoint", po::value<std::string>(), kCheckpointHelp);
  line.add()("out", po::value<std::string>(), "write the placement here, as Berth JSON");
  line.add()("trace", po::value<std::string>(), "write the simulated execution as a Chrome trace");
  line.add()("json", "the result as one JSON line");
  if (!line.parse(words)) {
    return 0;
  }
  StderrLogger logger(LogLevel::kWarning);
  if (!line.has("policy")) {
    throw InputError("berth place: expected --policy; see berth plugins for what there is");
  }
  check_output_files(line, {"out", "trace"});
  const std::unique_ptr<PluginHost> host = make_plugin_host(line.values(), logger);
  const PolicyRequest spec = parse_policy(line.text("policy"));
  const auto problems = problems_of(line, logger);
  if (problems.size() != 1) {
    throw InputError("berth place: " + std::to_string(problems.size()) +
                     " graphs given; expected one");
  }
  const PlacementProblem& problem = *problems.front();
  warn_without_rates(problem, logger);
  const SearchArguments search = search_of(line);
  const MadePolicy made = make_policy(*host, spec, checkpoint_of(line), search.seed, logger);
  const PolicyRun run = [&] {
    Progress progress("place", 1);
    progress.next(problem.name + ", " + spec.text);
    return run_with_search(problem, *made.policy, spec.text, *host, search);
  }();
  if (is_memory_packing(problem, run.placement)) {
    logger.warning(kPackingWarning, {{"policy", spec.text}, {"graph", problem.name}});
  }
  if (line.has("out")) {
    datasets::write_placement(run.placement,
                              problem,
                              {run.result.policy, run.result.makespan, search.seed},
                              line.text("out"));
  }
  if (line.has("trace")) {
    datasets::write_chrome_trace(Simulator(problem).trace(run.placement),
                                 problem.graph,
                                 problem.topology,
                                 line.text("trace"));
  }
  if (line.has("json")) {
    auto json = result_line(problem, run.result);
    if (!made.weights.empty()) {
      json["weights"] = made.weights;
    }
    std::printf("%s\n", json.dump().c_str());
  } else {
    print_result(problem, run.result);
    if (!made.weights.empty()) {
      std::printf("\nweights: %s\n", made.weights.c_str());
    }
  }
  return 0;
}

}  // namespace berth::launcher
