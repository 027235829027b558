// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "settle.hpp"

#include "partial_schedule.hpp"
#include "search_limit.hpp"

namespace berth::baselines {

bool order_counts(const PlacementProblem& problem) noexcept {
  return problem.execution.discipline != Discipline::kFifo;
}

bool order_optional(const PlacementProblem& problem) noexcept {
  return problem.execution.discipline == Discipline::kFifo ||
         problem.execution.discipline == Discipline::kAuto;
}

Scored score(Evaluator& evaluator, Placement ordered) {
  const PlacementProblem& problem = evaluator.problem();
  if (!order_counts(problem)) {
    ordered.order.clear();
  }
  double makespan = evaluator(ordered);
  if (order_counts(problem) && order_optional(problem) && simulations_left(evaluator) > 0) {
    const double without_order = evaluator(ordered.device);
    if (without_order <= makespan) {
      makespan = without_order;
      ordered.order.clear();
    }
  }
  return {std::move(ordered), makespan};
}

Placement settle(Evaluator& evaluator, Placement ordered) {
  const PlacementProblem& problem = evaluator.problem();
  if (order_counts(problem) && order_optional(problem)) {
    return score(evaluator, std::move(ordered)).placement;
  }
  if (!order_counts(problem)) {
    ordered.order.clear();
  }
  return ordered;
}

std::vector<double> topological_order_values(const Graph& graph) {
  const std::vector<std::uint32_t> position = topological_position(graph);
  return {position.begin(), position.end()};
}

}  // namespace berth::baselines
