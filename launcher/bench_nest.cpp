// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "bench_nest.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"
#include "berth/logger.hpp"

#include "bench_nest_report.hpp"
#include "bench_nest_run.hpp"
#include "commands.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

constexpr const char* kPlanners =
    "nest,manual,uniform,alpa,phaze,mist,piper,mcmc(evaluations=2000),random(evaluations=2000)";
constexpr const char* kQuickPlanners =
    "nest,manual,uniform,alpa,phaze,mist,piper,mcmc(evaluations=200),random(evaluations=200)";

std::vector<PlanCase> cases_of(const CommandLine& line) {
  const std::string& word = line.text("experiment");
  const bool known =
      word == "all" ||
      std::find(kNestExperiments.begin(), kNestExperiments.end(), word) != kNestExperiments.end();
  if (!known) {
    throw InputError("--experiment: '" + word +
                     "'; expected all, figure5, readme, figure6 or exhaustive");
  }
  std::vector<PlanCase> cases;
  for (const char* experiment : kNestExperiments) {
    if (word == "all" || word == experiment) {
      for (PlanCase& fresh : plan_cases(experiment, line.has("quick"))) {
        cases.push_back(std::move(fresh));
      }
    }
  }
  return cases;
}

}  // namespace

int run_bench_nest(std::span<const std::string> words) {
  CommandLine line("bench nest",
                   "[options] | --artifact DIR [options]",
                   "The NEST paper's experiments: every planner under one evaluator.");
  line.add()("experiment",
             po::value<std::string>()->value_name("NAME")->default_value("all"),
             "figure5 (5 models, 64 to 1024 devices), readme (H100 spine-leaf), figure6 "
             "(micro-batches), exhaustive (small, all plans), or all")(
      "planners",
      po::value<std::string>()->value_name("LIST"),
      "planners to compare, with options; the first is the one gains are over")(
      "quick", "two cases of each experiment, small budgets")(
      "seed", po::value<std::string>()->value_name("N")->default_value("1"), "of mcmc and random")(
      "artifact",
      po::value<std::string>()->value_name("DIR"),
      "score the planner files of the NEST artifact in DIR instead")("json",
                                                                     "one JSON line a result")(
      "html", po::value<std::string>()->value_name("FILE"), "also write a page");
  add_plugin_arguments(line.options());
  if (!line.parse(words)) {
    return 0;
  }
  if (!line.positional().empty()) {
    throw InputError("berth bench nest: '" + line.positional()[0] + "'; expected options alone");
  }
  if (line.has("artifact")) {
    for (const char* name : {"experiment", "planners", "quick", "seed"}) {
      if (line.has(name) && !line.values()[name].defaulted()) {
        throw InputError("berth bench nest: --" + std::string(name) +
                         " beside --artifact; expected one of them");
      }
    }
    return run_bench_nest_artifact(line);
  }
  const std::vector<PlanCase> cases = cases_of(line);
  std::vector<PolicyRequest> planners =
      distinct_policies("planners",
                        line.has("planners") ? line.text("planners")
                        : line.has("quick")  ? kQuickPlanners
                                             : kPlanners);
  const bool enumerates = !line.has("planners");
  const auto seed = static_cast<std::uint64_t>(line.integer("seed", 0, 1'000'000'000));
  check_output_files(line, {"html"});
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  const auto start = std::chrono::steady_clock::now();
  Progress progress("bench nest", cases.size() * planners.size());
  std::vector<CaseResult> results;
  for (const PlanCase& plan_case : cases) {
    const StrategyProblem problem = case_problem(plan_case);
    CaseResult result{plan_case, {}};
    for (const PolicyRequest& request : planners) {
      progress.next(plan_case.label() + ": " + request.name);
      result.results.push_back(run_planner(*host, problem, request, seed));
    }
    if (plan_case.experiment == "exhaustive" && enumerates) {
      progress.next(plan_case.label() + ": exhaustive");
      result.results.push_back(run_planner(*host, problem, parse_policy("exhaustive"), seed));
    }
    results.push_back(std::move(result));
  }
  if (enumerates) {
    planners.push_back(parse_policy("exhaustive"));
  }
  if (line.has("json")) {
    print_bench_lines(planners, results);
  } else {
    std::fputs(bench_text(planners, results).c_str(), stdout);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::printf("\nrun time: %s s, processor %s s\n",
                fixed(elapsed.count(), 1).c_str(),
                fixed(static_cast<double>(std::clock()) / CLOCKS_PER_SEC, 1).c_str());
  }
  if (line.has("html")) {
    write_bench_page(planners, results, line.text("html"));
  }
  return 0;
}

}  // namespace berth::launcher
