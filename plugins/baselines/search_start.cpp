// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "search_start.hpp"

#include <functional>
#include <limits>
#include <vector>

#include "berth/error.hpp"

#include "critical_path.hpp"
#include "etf.hpp"
#include "heft.hpp"
#include "single_device.hpp"

namespace berth::baselines {
namespace {

Scored best_known(Evaluator& evaluator) {
  return {evaluator.best(), evaluator.best_makespan()};
}

}  // namespace

Scored search_start(Evaluator& evaluator) {
  const PlacementProblem& problem = evaluator.problem();
  if (!evaluator.best().device.empty()) {
    return best_known(evaluator);
  }
  if (const auto device = best_single_device(problem)) {
    static_cast<void>(score(evaluator,
                            {std::vector<DeviceId>(problem.graph.num_ops(), *device),
                             topological_order_values(problem.graph)}));
  }
  const auto heft = [](const PlacementProblem& of) { return heft_schedule(of); };
  const auto lowest = [](const PlacementProblem& of) {
    Rng unused(0);
    return critical_path_schedule(of, {.ties = CriticalPathRules::Ties::kLowest}, unused);
  };
  std::vector<std::function<PartialSchedule(const PlacementProblem&)>> heuristics = {heft};
  constexpr std::size_t kMostOpsForEtf = 20000;  // It looks at every ready op at every step.
  if (problem.graph.num_ops() <= kMostOpsForEtf) {
    heuristics.emplace_back(etf_schedule);
  }
  heuristics.emplace_back(lowest);
  for (const auto& heuristic : heuristics) {
    if (evaluator.exhausted() && !evaluator.best().device.empty()) {
      break;
    }
    try {
      static_cast<void>(score(evaluator, heuristic(problem).placement()));
    } catch (const SolverError&) {
      // Out of memory: the others may fit.
    }
  }
  if (evaluator.best_makespan() == std::numeric_limits<double>::infinity()) {
    static_cast<void>(
        score(evaluator, {pack_into_memory(problem), topological_order_values(problem.graph)}));
  }
  return best_known(evaluator);
}

}  // namespace berth::baselines
