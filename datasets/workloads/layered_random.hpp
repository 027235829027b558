// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

#include "berth/graph.hpp"

namespace berth::datasets {

/// A random graph in layers, for scale tests and for training beyond the named workloads.
struct LayeredSpec {
  std::size_t ops = 1000;
  std::size_t layers = 0;  ///< 0: about the square root of `ops`.
  std::size_t degree = 2;  ///< Predecessors of an op, all in the layer before; at least 1.
  double ccr = 1.0;        ///< Mean edge size over mean work.
  std::uint64_t seed = 0;
};

/// Integer work 1 .. 100 and integer edge sizes of mean ccr * 50.5, in microseconds. Ids are a
/// topological order; every op but those of the first layer has a predecessor.
/// @throws InputError if layers > ops, degree == 0, or ccr is negative or not finite.
/// Cost O(ops * degree); 10^6 ops take about a second.
[[nodiscard]] Graph make_layered_random(const LayeredSpec& spec);

}  // namespace berth::datasets
