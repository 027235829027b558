// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "berth/cost_table.hpp"
#include "berth/execution_model.hpp"
#include "berth/export.hpp"
#include "berth/graph.hpp"
#include "berth/placement.hpp"
#include "berth/topology.hpp"

namespace berth {
inline namespace abi_v1 {

/// One placement problem: what to place, where, at which cost, judged by which execution.
/// Immutable once made; policies keep references to it.
struct PlacementProblem {
  std::string name;
  Graph graph;
  Topology topology;
  CostTable costs;
  ExecutionOptions execution;
  double lower_bound = 0.0;       ///< Time units; never above the true optimum.
  std::optional<double> optimum;  ///< Time units, where known.
};

/// Prices the graph, bounds the makespan and puts the parts together.
/// @throws InputError as price(), or if no placement fits in the devices' memory.
[[nodiscard]] BERTH_API std::shared_ptr<const PlacementProblem> make_problem(
    std::string name,
    const Graph& graph,
    const Topology& topology,
    const ExecutionOptions& execution,
    std::optional<double> optimum = std::nullopt);

/// Checks that a placement assigns every op: one device per op, known and eligible, order finite
/// and one per op or empty. Memory does not count.
/// @throws InputError naming the op, what was found and what was expected.
BERTH_API void check_assignment(const PlacementProblem& problem, const Placement& placement);

/// Checks that a placement is legal: check_assignment(), and resident memory within each device's
/// capacity.
/// @throws InputError naming the op or device, what was found and what was expected.
BERTH_API void check_placement(const PlacementProblem& problem, const Placement& placement);

}  // namespace abi_v1
}  // namespace berth
