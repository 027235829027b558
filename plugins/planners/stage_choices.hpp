// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "stage_border.hpp"

namespace berth::planners {

/// One way to choose the variants of a stage; sums over its nodes.
struct StageLabel {
  double busy = 0.0;        ///< Seconds per sample with one replica, transfers included.
  double parameters = 0.0;  ///< Bytes.
  double stash = 0.0;       ///< Bytes per sample in flight.
  double fixed = 0.0;       ///< Bytes.
};

/// The choices of variants that nothing dominates in all four sums, for nodes with one width; none
/// if a node has no variant there. Exact: nodes are added one by one, of labels with equal bytes
/// the fastest stays, dominated ones go at the end. Layers alike give at most one label per number
/// of layers that recompute.
/// @throws InputError if more than a hundred thousand labels would be kept.
[[nodiscard]] std::vector<StageLabel> stage_labels(const PartitionProblem& problem,
                                                   const StageBorder& border,
                                                   const std::vector<std::uint32_t>& nodes,
                                                   std::uint32_t width);

/// The variants behind label `index` of stage_labels() for the same stage. @return [nodes]
[[nodiscard]] std::vector<std::uint32_t> stage_choices(const PartitionProblem& problem,
                                                       const StageBorder& border,
                                                       const std::vector<std::uint32_t>& nodes,
                                                       std::uint32_t width,
                                                       std::size_t index);

}  // namespace berth::planners
