// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/error.hpp"
#include "berth/evaluator.hpp"
#include "berth/memory_packing.hpp"
#include "berth/placement.hpp"

namespace berth::baselines {

/// A placement and what it takes, in time units.
struct Scored {
  Placement placement;
  double makespan = 0.0;
};

/// What of an ordered placement counts under the problem's discipline: the devices alone under
/// `fifo`; devices and order under `priority` and `static-order`; under `auto` whichever of the
/// two runs faster (ties: no order). One or two simulations; one where the budget has no second,
/// and then the order counts.
[[nodiscard]] Scored score(Evaluator& evaluator, Placement ordered);

/// The same placement; simulates only where that decides something.
[[nodiscard]] Placement settle(Evaluator& evaluator, Placement ordered);

/// True where the discipline lets a placement's order matter.
[[nodiscard]] bool order_counts(const PlacementProblem& problem) noexcept;
/// True where a placement may come without an order.
[[nodiscard]] bool order_optional(const PlacementProblem& problem) noexcept;

/// Order values by topological position: any device can follow them.
[[nodiscard]] std::vector<double> topological_order_values(const Graph& graph);

/// What build() makes; where it runs out of memory, a packing by memory alone, in topological
/// order.
/// @throws SolverError as pack_into_memory().
template <class Build>
[[nodiscard]] Placement or_packed(const PlacementProblem& problem, const Build& build) {
  try {
    return build();
  } catch (const SolverError&) {
    return {pack_into_memory(problem), topological_order_values(problem.graph)};
  }
}

}  // namespace berth::baselines
