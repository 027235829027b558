// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/partition_problem.hpp"

namespace berth::planners {

/// A partition problem by groups of nodes that always share a stage.
struct ItemGraph {
  std::vector<std::vector<std::uint32_t>> nodes;   ///< [items], ascending.
  std::vector<std::vector<std::uint32_t>> before;  ///< [items]: items that must not come later.
  /// Nodes that cost nothing anywhere; each goes to the earliest stage that uses it. In the order
  /// in which they must be placed.
  std::vector<std::vector<std::uint32_t>> free_nodes;
};

/// Groups of a problem that passed check_partition_problem(). Where memory cannot bind (one choice
/// per node, no replicas, everything fits on one device) items that cost no time are merged into
/// their neighbour or set aside where that provably loses no plan:
/// - an item that exchanges transfers with one other item alone joins it;
/// - an item after one other joins it if sending its own output costs no more than receiving did;
/// - a source that costs nothing and whose transfers cost nothing is free.
[[nodiscard]] ItemGraph make_items(const PartitionProblem& problem);

}  // namespace berth::planners
