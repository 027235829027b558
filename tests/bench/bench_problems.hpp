// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/problem.hpp"
#include "berth/rng.hpp"

namespace berth::bench {

/// A layered random graph: layers of about sqrt(ops) ops, each op after the first layer takes 1 to
/// 3 inputs from the layer before; integer times 1 to 100, transfers 1 to 100.
inline Graph layered_graph(std::size_t ops, std::uint64_t seed) {
  Rng rng(seed, {ops});
  GraphBuilder builder("layered-" + std::to_string(ops));
  std::size_t width = 1;
  while (width * width < ops) {
    ++width;
  }
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.work = static_cast<double>(1 + rng.below(100));
    builder.add_op(op);
  }
  for (std::size_t v = width; v < ops; ++v) {
    const std::size_t layer = v / width * width;
    const std::size_t inputs = 1 + rng.below(3);
    for (std::size_t i = 0; i < inputs; ++i) {
      builder.add_edge(to_id<OpId>(layer - width + rng.below(width)),
                       to_id<OpId>(v),
                       static_cast<double>(1 + rng.below(100)));
    }
  }
  return builder.freeze();
}

/// Uniform random placements, enough of them that a branch predictor cannot learn one by heart.
inline std::vector<std::vector<DeviceId>> random_placements(std::size_t ops,
                                                            std::size_t devices,
                                                            std::size_t count) {
  Rng rng(1, {ops, devices});
  std::vector<std::vector<DeviceId>> placements(count, std::vector<DeviceId>(ops));
  for (auto& placement : placements) {
    for (DeviceId& device : placement) {
      device = to_id<DeviceId>(rng.below(devices));
    }
  }
  return placements;
}

}  // namespace berth::bench
