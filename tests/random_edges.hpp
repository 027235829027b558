// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/graph.hpp"
#include "berth/rng.hpp"

namespace berth::testing {

/// Up to two edges into each op from random earlier ones, of size 1 .. 3.
inline void add_random_edges(GraphBuilder& builder, std::size_t ops, Rng& rng) {
  for (std::size_t v = 1; v < ops; ++v) {
    const std::size_t inputs = rng.below(3);
    for (std::size_t k = 0; k < inputs; ++k) {
      builder.add_edge(
          to_id<OpId>(rng.below(v)), to_id<OpId>(v), 1.0 + static_cast<double>(rng.below(3)));
    }
  }
}

}  // namespace berth::testing
