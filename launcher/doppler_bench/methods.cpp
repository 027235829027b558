// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/methods.hpp"

#include <algorithm>
#include <array>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "policy_run.hpp"

namespace berth::launcher {
namespace {

using Kind = Method::Kind;

constexpr double kImitated = 0.1;     ///< Share of a budget spent on imitation.
constexpr std::uint64_t kStarts = 8;  ///< Simulations that score the starts of annealing, at most.

/// Whether it takes most of the time of a quick run.
bool is_slow(const Method& method) {
  return method.label == "placeto" || method.label == "placeto-once";
}

PolicyRun run_annealing(PluginHost& host,
                        const PlacementProblem& problem,
                        const SearchBudget& budget,
                        std::uint64_t seed) {
  const auto annealing = host.placement_policy(
      "annealing", host.options(PlacementPolicy::kInterface, "annealing"), seed);
  return run_policy(problem, *annealing, "annealing", budget, seed);
}

}  // namespace

std::span<const Method> methods() {
  static constexpr std::array kMethods = {
      Method{"critical-path", "critical-path(runs=50)", Kind::kPlace, "CRITICAL PATH, best of 50"},
      Method{"heft", "heft", Kind::kPlace, "HEFT with insertion"},
      Method{"mct", "mct", Kind::kPlace, "ready first, earliest finish (StarPU's dmda)"},
      Method{"round-robin", "round-robin(order=kahn)", Kind::kPlace, "in Kahn's order"},
      Method{"enumopt", "enumopt", Kind::kPlace, "EnumerativeOptimizer by permutations"},
      Method{"enumopt-ranges", "enumopt(variant=ranges)", Kind::kPlace, "by ranges of devices"},
      Method{"enumopt-greedy", "enumopt(variant=greedy)", Kind::kPlace, "op by op"},
      Method{"enumopt-sweeps",
             "enumopt(sweeps=1000000)",
             Kind::kPlace,
             "permutations, then exchanges by meta-op within the budget"},
      Method{"annealing", "annealing", Kind::kPlace, "from the best heuristic"},
      Method{"local-search", "local-search", Kind::kPlace, "from the best heuristic"},
      Method{"placeto", "placeto", Kind::kTrain, "messages at every step"},
      Method{"placeto-once",
             "placeto(message_passing=once)",
             Kind::kTrain,
             "messages once an episode"},
      Method{"gdp", "gdp", Kind::kTrain, "all ops at once"},
      Method{"joint",
             "doppler(policy=joint,refine_simulations=0,deep=0)",
             Kind::kTrain,
             "one policy over (op, device) pairs"},
      Method{"doppler",
             "doppler(refine_simulations=0,deep=0)",
             Kind::kTrain,
             "DOPPLER-SIM: stages I and II, the policies alone"},
      Method{"doppler-search",
             "doppler(refine_simulations=64,deep=0)",
             Kind::kTrain,
             "DOPPLER-SIM with local search in each rollout"},
      Method{"doppler-refine",
             "doppler(refine_simulations=0,deep=0)",
             Kind::kTrainAndRefine,
             "half the budget DOPPLER-SIM that knows the best of annealing's starts, half "
             "annealing from "
             "the best of these starts and of what it found"},
  };
  return kMethods;
}

std::vector<Method> methods_of(std::span<const std::string> labels) {
  if (labels.empty()) {
    return {methods().begin(), methods().end()};
  }
  std::vector<Method> chosen;
  for (const std::string& label : labels) {
    const auto found = std::ranges::find(methods(), label, &Method::label);
    if (found == methods().end()) {
      std::vector<std::string> known;
      std::string all;
      for (const Method& method : methods()) {
        known.emplace_back(method.label);
        all += (all.empty() ? "" : ", ") + known.back();
      }
      const std::string near = nearest_name(label, known);
      throw InputError("--methods: '" + label + "'; " +
                       (near.empty() ? "expected some of " + all : "did you mean '" + near + "'?"));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<Method> main_methods(const BenchSettings& settings) {
  std::vector<Method> chosen = methods_of(settings.methods);
  if (settings.quick && settings.methods.empty()) {
    std::erase_if(chosen, is_slow);
  }
  return chosen;
}

std::string left_out_methods(const BenchSettings& settings) {
  std::string labels;
  if (settings.quick && settings.methods.empty()) {
    for (const Method& method : methods()) {
      if (is_slow(method)) {
        labels += (labels.empty() ? "" : ", ") + std::string(method.label);
      }
    }
  }
  return labels;
}

MethodRun run_method(const Bench& bench,
                     const Method& method,
                     const std::shared_ptr<const PlacementProblem>& problem,
                     std::uint64_t seed) {
  PluginHost& host = bench.trainer->host();
  const PolicyRequest request = parse_policy(method.request);
  const std::uint64_t budget = bench.settings.budget;
  if (method.kind == Kind::kPlace) {
    const auto policy = host.placement_policy(
        request.name, policy_config(host, PlacementPolicy::kInterface, request), seed);
    const PolicyRun run = run_policy(*problem, *policy, request.text, {budget, 0.0}, seed);
    return {run.result.makespan, run.placement, run.result.simulations, run.result.seconds};
  }
  const bool refines = method.kind == Kind::kTrainAndRefine;
  const auto policy = bench.trainer->fresh(request, seed);
  const TrainingPlan plan = plan_training(std::max<std::uint64_t>(1, refines ? budget / 2 : budget),
                                          bench.trainer->cost_of(request, *problem),
                                          kImitated);
  std::uint64_t spent = 0;
  if (refines && budget > 2 * kStarts) {
    // The policy learns from the best of annealing's starts as from a placement of its own.
    const PolicyRun start = run_annealing(host, *problem, {kStarts, 0.0}, seed);
    policy->improved(*problem, 0, start.placement, start.result.makespan);
    spent = start.result.simulations;
  }
  const TrainingResult trained = bench.trainer->train(*policy, {problem}, plan, seed);
  const ProblemRecord& record = trained.record.problems.front();
  MethodRun run{record.best_makespan, record.best, spent + record.simulations, trained.seconds};
  if (refines && budget > run.simulations) {
    PolicyRun refined;
    refined.placement = record.best;
    refined.result.makespan = record.best_makespan;
    const auto annealing = host.placement_policy(
        "annealing", host.options(PlacementPolicy::kInterface, "annealing"), seed);
    refine(*problem, *annealing, "annealing", {budget - run.simulations, 0.0}, seed, refined);
    run.makespan = refined.result.makespan;
    run.placement = refined.placement;
    run.simulations += refined.result.simulations;
    run.seconds += refined.result.seconds;
  }
  return run;
}

}  // namespace berth::launcher
