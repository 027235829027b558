// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "berth/graph.hpp"
#include "berth/placement.hpp"
#include "berth/rng.hpp"

namespace berth {

inline constexpr std::size_t kEmptyOps = 10000;

/// Layers of 100 empty ops, each with two predecessors in the layer before.
inline Graph layers_of_empty_ops() {
  GraphBuilder builder("layers of empty ops");
  builder.cost_basis(CostBasis::kPhysical);
  Rng rng(1, {1});
  constexpr std::size_t kWidth = 100;
  for (std::size_t v = 0; v < kEmptyOps; ++v) {
    const OpId op = builder.add_op({});
    for (int i = 0; i < 2 && v >= kWidth; ++i) {
      const std::size_t layer = (v / kWidth - 1) * kWidth;
      builder.add_edge(to_id<OpId>(layer + rng.below(kWidth)), op, 64.0);
    }
  }
  return builder.freeze();
}

inline Graph independent_empty_ops() {
  GraphBuilder builder("independent empty ops");
  builder.cost_basis(CostBasis::kPhysical);
  for (std::size_t v = 0; v < kEmptyOps; ++v) {
    builder.add_op({});
  }
  return builder.freeze();
}

/// Ops on random devices, or on all in turn.
inline Placement place_empty_ops(const Graph& graph, std::size_t devices, bool random) {
  Rng rng(2, {1});
  Placement placement;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    placement.device.push_back(to_id<DeviceId>(random ? rng.below(devices) : v % devices));
  }
  return placement;
}

}  // namespace berth
