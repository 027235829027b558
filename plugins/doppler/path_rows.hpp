// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/graph.hpp"

namespace berth::doppler {

enum class Direction : std::uint8_t { kForward, kBackward };

/// [ops] ops in the order of their first visit by depth-first search: roots ascending, children in
/// edge order. The reference stacks path sums in this order and then reads them by op id, so that
/// row v belongs to the v-th op visited.
[[nodiscard]] std::vector<std::int64_t> depth_first_order(const Graph& graph, Direction direction);

}  // namespace berth::doppler
