// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "berth/graph.hpp"

#include "edge_costs.hpp"
#include "op_levels.hpp"

namespace berth::doppler {

inline constexpr std::size_t kPaperNodeColumns = 5;
inline constexpr std::size_t kRichNodeColumns = 19;

/// The five columns of section 2 of the paper: comp, b-level, t-level, in-comm, out-comm.
/// @return [ops, 5] time units, not normalised.
[[nodiscard]] std::vector<double> paper_node_features(const Graph& graph,
                                                      const MeanCosts& costs,
                                                      const Levels& b,
                                                      const Levels& t);

/// A maximal run of consecutive ids with equal kind, cost and depth: the blocks of one operation
/// that was cut into shards.
struct BlockRuns {
  std::vector<std::uint32_t> run_of;    ///< [ops]
  std::vector<std::uint32_t> position;  ///< [ops] in its run
  std::vector<std::uint32_t> size;      ///< [runs]
};
[[nodiscard]] BlockRuns block_runs(const Graph& graph);

/// What an op cannot tell from its graph after normalisation.
struct Surroundings {
  double devices = 1.0;
  double longest_path = 0.0;     ///< Of compute, time units.
  std::vector<double> slowdown;  ///< [ops] greatest over least time on the devices that run it
};

/// The paper's columns and: in- and out-degree, b+t, depth, position by id; the position in the
/// run of blocks as a fraction and its three low bits as +-1 (0 in a run of one), the run's size.
/// They tell apart blocks that are alike in everything else. Columns of costs, degrees and sizes
/// are normalised over the graph, so a policy carries over to graphs of other sizes and units. What
/// that hides follows, alike for all ops: transfer per edge against compute per op, the number of
/// devices, work per device against the longest path, each as a logarithm; at last how much the
/// op's time depends on the device.
/// @return [ops, 19]
[[nodiscard]] std::vector<double> rich_node_features(const Graph& graph,
                                                     const std::vector<double>& paper,
                                                     const BlockRuns& runs,
                                                     const Surroundings& around);

}  // namespace berth::doppler
