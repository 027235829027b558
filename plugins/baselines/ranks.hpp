// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/problem.hpp"

namespace berth::baselines {

/// Upward rank of each op: mean compute time over its devices plus, along the longest way to a
/// sink, mean compute and mean transfer times. Source: HEFT, Topcuoglu et al. 2002, eq. (8).
[[nodiscard]] std::vector<double> upward_ranks(const PlacementProblem& problem);

/// All ops by descending rank, ties by topological position: a topological order, since ranks
/// never grow along an edge.
[[nodiscard]] std::vector<OpId> by_descending_rank(const Graph& graph,
                                                   const std::vector<double>& rank);

/// Optimistic cost table, [ops * devices]: the least time from the end of an op on a device to the
/// end of the graph, devices taken as always free. Source: PEFT, Arabnejad and Barbosa 2014,
/// eq. (3). Cost O(edges * devices^2).
[[nodiscard]] std::vector<double> optimistic_costs(const PlacementProblem& problem);

}  // namespace berth::baselines
