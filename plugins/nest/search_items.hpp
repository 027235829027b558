// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain_sums.hpp"
#include "search_settings.hpp"

namespace berth::nest {

/// Configurations that may meet in one pipeline: equal but for tensor width and sequence
/// parallelism. In order of their first member.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> mixed_groups(const StrategyProblem& problem);

/// @throws InputError unless every configuration's edges join each layer to the next alone.
void check_chain(const StrategyProblem& problem);

/// Degrees of an interleaved pipeline: `depth` blocks of `chunks` stages, `data` replicas.
struct Interleaving {
  double seconds = 0.0;  ///< Compute alone if every stage were as slow as the slowest.
  std::size_t depth = 2;
  std::size_t chunks = 2;
  std::size_t data = 1;
};

/// The degrees to try for one configuration, most promising first: all that divide the
/// micro-batches as interleaving asks, for chains of up to kShortChain layers; for longer ones the
/// best kMostPerDepth of each depth, and kMostInterleavings in all. Blind to what else was found.
[[nodiscard]] std::vector<Interleaving> interleavings(const StrategyProblem& problem,
                                                      std::uint32_t configuration,
                                                      const ChainSums& sums,
                                                      const SearchSettings& settings);

inline constexpr std::size_t kShortChain = 12;
inline constexpr std::size_t kMostPerDepth = 2;
inline constexpr std::size_t kMostInterleavings = 24;

}  // namespace berth::nest
