// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "berth/graph.hpp"

namespace berth::datasets {

/// What one wants to know of a graph before placing it.
struct GraphSummary {
  std::size_t sources = 0;
  std::size_t sinks = 0;
  std::size_t levels = 0;  ///< Ops on the longest path.
  std::size_t max_in_degree = 0;
  std::size_t max_out_degree = 0;
  std::size_t distinct_costs = 0;  ///< Distinct values of work.
  double total_work = 0.0;         ///< Time units or flops.
  double longest_path = 0.0;       ///< Largest sum of work along a path.
  double total_edge_size = 0.0;    ///< Time units or bytes.
  double total_memory_bytes = 0.0;
  std::vector<std::pair<std::string, std::size_t>> kinds;  ///< Ops of each kind, in file order.
};

/// Cost O(ops log ops + edges).
[[nodiscard]] GraphSummary summarise(const Graph& graph);

}  // namespace berth::datasets
