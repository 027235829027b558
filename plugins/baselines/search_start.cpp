// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "search_start.hpp"

#include <functional>
#include <limits>
#include <vector>

#include "berth/error.hpp"

#include "critical_path.hpp"
#include "enumopt.hpp"
#include "etf.hpp"
#include "heft.hpp"
#include "mct.hpp"
#include "settle.hpp"
#include "single_device.hpp"

namespace berth::baselines {
namespace {

constexpr std::size_t kMostOpsForEtf = 5'000;  // It looks at every ready op at every step.
constexpr std::size_t kMostTrialsForRanges = 10'000'000;  // ops * devices^2

Placement lowest_critical_path(const PlacementProblem& problem) {
  Rng unused(0);
  return critical_path_schedule(problem, {.ties = CriticalPathRules::Ties::kLowest}, unused)
      .placement();
}

Placement ranges(const PlacementProblem& problem) {
  return {place_by_sites(problem, SiteScope::kMetaOp, /*transfer_weight=*/1.0),
          topological_order_values(problem.graph)};
}

/// The constructive policies that a problem of this size can afford.
std::vector<std::function<Placement(const PlacementProblem&)>> heuristics(
    const PlacementProblem& problem) {
  std::vector<std::function<Placement(const PlacementProblem&)>> list;
  list.emplace_back([](const PlacementProblem& of) { return heft_schedule(of).placement(); });
  list.emplace_back([](const PlacementProblem& of) {
    return heft_schedule(of, {.device_ties = HeftRules::DeviceTies::kLeastIdle}).placement();
  });
  list.emplace_back([](const PlacementProblem& of) { return mct_schedule(of).placement(); });
  const std::size_t ops = problem.graph.num_ops();
  const std::size_t devices = problem.costs.num_devices;
  if (ops <= kMostOpsForEtf) {
    list.emplace_back([](const PlacementProblem& of) { return etf_schedule(of).placement(); });
  }
  list.emplace_back(lowest_critical_path);
  if (ops * devices * devices <= kMostTrialsForRanges) {
    list.emplace_back(ranges);
  }
  return list;
}

}  // namespace

void search_start(Evaluator& evaluator) {
  const PlacementProblem& problem = evaluator.problem();
  const auto is_over = [&evaluator] {
    return evaluator.exhausted() && !evaluator.best().device.empty();
  };
  if (is_over()) {
    return;
  }
  if (const auto device = best_single_device(problem)) {
    static_cast<void>(score(evaluator,
                            {std::vector<DeviceId>(problem.graph.num_ops(), *device),
                             topological_order_values(problem.graph)}));
  }
  for (const auto& heuristic : heuristics(problem)) {
    if (is_over()) {
      break;
    }
    try {
      static_cast<void>(score(evaluator, heuristic(problem)));
    } catch (const SolverError&) {
      // Out of memory: the others may fit.
    }
  }
  if (evaluator.best_makespan() == std::numeric_limits<double>::infinity()) {
    static_cast<void>(
        score(evaluator, {pack_into_memory(problem), topological_order_values(problem.graph)}));
  }
}

}  // namespace berth::baselines
