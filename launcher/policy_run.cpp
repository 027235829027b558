// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_run.hpp"

#include <algorithm>
#include <numeric>

#include "berth/error.hpp"
#include "berth/memory_packing.hpp"
#include "berth/rng.hpp"
#include "berth/simulator.hpp"

namespace berth::launcher {
namespace {

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0;
  for (const char c : text) {
    hash = mix64(hash ^ static_cast<unsigned char>(c));
  }
  return hash;
}

}  // namespace

PolicyRun run_policy(const PlacementProblem& problem,
                     PlacementPolicy& policy,
                     const std::string& label,
                     const SearchBudget& budget,
                     std::uint64_t seed) {
  Evaluator evaluator(problem, budget);
  Rng rng(seed, {problem.graph.hash(), hash_of(label)});
  PolicyRun run;
  run.placement = policy.place(problem, evaluator, rng);
  run.result.seconds = evaluator.elapsed_seconds();
  run.result.makespan = Simulator(problem).makespan(run.placement);
  if (evaluator.best_makespan() < run.result.makespan) {
    run.placement = evaluator.best();
    run.result.makespan = evaluator.best_makespan();
  }
  run.result.policy = label;
  run.result.lower_bound = evaluator.lower_bound();
  // A constructive policy needs one simulation to be scored.
  run.result.simulations = std::max<std::uint64_t>(evaluator.simulations(), 1);
  run.result.placement_hash = placement_hash(run.placement.device);
  return run;
}

void refine(const PlacementProblem& problem,
            PlacementPolicy& search,
            const std::string& label,
            SearchBudget budget,
            std::uint64_t seed,
            PolicyRun& run) {
  if (budget.simulations > 0) {
    ++budget.simulations;  // For the given placement, which has been simulated before.
  }
  Evaluator evaluator(problem, budget);
  evaluator(run.placement);
  // The stream of run_policy(), so that a start that is not used changes nothing.
  Rng rng(seed, {problem.graph.hash(), hash_of(label)});
  static_cast<void>(search.place(problem, evaluator, rng));
  if (evaluator.best_makespan() < run.result.makespan) {
    run.placement = evaluator.best();
    run.result.makespan = evaluator.best_makespan();
  }
  run.result.policy += "+refine";
  run.result.lower_bound = std::max(run.result.lower_bound, evaluator.lower_bound());
  run.result.simulations += evaluator.simulations() - 1;
  run.result.seconds += evaluator.elapsed_seconds();
  run.result.placement_hash = placement_hash(run.placement.device);
}

bool is_memory_packing(const PlacementProblem& problem, const Placement& placement) {
  const auto memory = problem.graph.memory_bytes();
  const double needed = std::accumulate(memory.begin(), memory.end(), 0.0);
  const auto& capacity = problem.costs.device_memory;
  if (!(needed > *std::min_element(capacity.begin(), capacity.end()))) {
    return false;
  }
  try {
    return placement.device == pack_into_memory(problem);
  } catch (const SolverError&) {
    return false;  // None was found, so this is no such packing.
  }
}

}  // namespace berth::launcher
