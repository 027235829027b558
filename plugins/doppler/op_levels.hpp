// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/graph.hpp"

#include "edge_costs.hpp"

namespace berth::doppler {

/// Whose output cost the t-level recursion adds: the predecessor's (the textbook form), or the
/// op's own as the reference code does.
enum class LevelCost : std::uint8_t { kProducer, kOwn };

/// A level of every op and the next op on the path that realises it.
struct Levels {
  std::vector<double> level;
  std::vector<std::int64_t> next;  ///< [ops] num_ops at the end of a path
};

/// b-level (section 2 of the paper): comp(v) + max over successors w of comm(v,w) + level(w).
/// Ties: the first successor in edge order. O(ops + edges).
[[nodiscard]] Levels b_levels(const Graph& graph, const MeanCosts& costs);

/// t-level, the same on the reversed graph; v's own comp is included.
[[nodiscard]] Levels t_levels(const Graph& graph, const MeanCosts& costs, LevelCost cost);

/// [ops] longest path from a source, in edges.
[[nodiscard]] std::vector<std::uint32_t> depths(const Graph& graph);

}  // namespace berth::doppler
