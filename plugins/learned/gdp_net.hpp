// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "placement_net.hpp"

namespace berth::learned {

struct GdpSizes {
  std::size_t columns = 0;  ///< Static columns of an op.
  std::size_t hidden = 64;
  std::size_t heads = 4;    ///< Of attention; divides hidden.
  std::size_t segment = 8;  ///< Ops that attend to each other and to the segment before.
  /// As the reference code: an op with a single neighbour gathers zeros instead of its row.
  bool drops_single_neighbour = false;
};

/// The network of GDP (Zhou et al. 2019, arXiv 1910.01578): all ops placed at once.
///
/// h = Linear(columns -> hidden); one GraphSAGE layer over predecessors and successors, the
/// element-wise maximum of sigmoid(W h + b), then Linear(2 hidden -> hidden) of [h, maximum]; one
/// Transformer-XL-like layer over segments in the order of placement, keys and values the segment
/// and the output of the one before (no gradient through that), post-LayerNorm, FFN of
/// 4 * hidden; Linear(hidden -> kDeviceScore), from which device_logits() has the logits.
std::unique_ptr<PlacementNet> make_gdp_net(const GdpSizes& sizes);

}  // namespace berth::learned
