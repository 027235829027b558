// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>

#include "pipeline_search.hpp"

namespace berth::nest {

/// A task whose blocks take `chunks` stages each, in turn: stage q on block q mod p.
struct InterleavedTask {
  PipelineTask base;
  std::size_t chunks = 2;
  AffineCost wrap;  ///< From the last block back to the first.
};

/// A plan for interleaved 1F1B (Narayanan et al. 2021) below `bound` seconds per batch, as played
/// out; nothing if none is found. All chunks of a block recompute alike.
/// Exact over all cuts where there are at most kMostCuts of them. Else the cuts with the least
/// slowest stage, whose chunks each fit in an equal part of the device's memory and compute no
/// longer than kMostUneven times the slowest stage of the best cut, nor kMostLayersMore of the
/// heaviest layers longer.
[[nodiscard]] std::optional<ParallelPlan> search_interleaved(const InterleavedTask& task,
                                                             const SearchSettings& settings,
                                                             double bound);

inline constexpr std::size_t kMostCuts = 64;
inline constexpr double kMostUneven = 1.5;
inline constexpr double kMostLayersMore = 6.0;
inline constexpr std::size_t kLongChain = 200;  ///< Layers; above, ends of stages only move on.

}  // namespace berth::nest
