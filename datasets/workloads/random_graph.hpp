// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/graph.hpp"

namespace berth::datasets {

/// A random graph of a family, to train policies on beyond the named workloads.
struct RandomGraphSpec {
  std::string family;    ///< One of random_families().
  std::size_t ops = 40;  ///< About as many; families with a rigid shape come close. 1 to 100,000.
  double ccr = 1.0;      ///< Mean edge size over mean work.
  std::uint64_t seed = 0;
};

/// "layered", "sparse" (edges between any two ops), "fork-join" (one after the other), "out-tree",
/// "in-tree", "series-parallel", "chains" (with a few links across), "stencil", "independent",
/// "cells" (branches of blocks of equal cost, as of a neural network, with shortcuts), "blocks"
/// (rounds of as many equal blocks as there are, each fed by some of the round before, and
/// reductions).
[[nodiscard]] std::span<const std::string_view> random_families();

/// Integer work of mean about 50 and integer edge sizes of mean about ccr times that, in
/// microseconds; on some seeds all alike, on others of a long tail. Ids are a topological order.
/// @throws InputError on an unknown family, ops out of range, or a ccr that is negative or not
///         finite.
[[nodiscard]] Graph make_random_graph(const RandomGraphSpec& spec);

/// "random:FAMILY[:OPS[:CCR[:SEED]]]".
[[nodiscard]] bool is_random_word(std::string_view word) noexcept;
/// @throws InputError showing the word and what is wrong with it.
[[nodiscard]] Graph make_random_graph_of(std::string_view word);

}  // namespace berth::datasets
