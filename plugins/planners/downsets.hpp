// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::planners {

/// All sets of items that hold every item's predecessors, by size, the empty set first and the full
/// one last: the places where a graph can be cut once.
struct Downsets {
  /// [sets]: (item, set without that item), ascending by item.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> smaller;

  [[nodiscard]] std::size_t size() const noexcept { return smaller.size(); }
};

/// @param before [items]: direct predecessors.
/// @return nothing if there are more than `most` sets. Cost O(sets * items * log sets).
[[nodiscard]] Downsets enumerate_downsets(const std::vector<std::vector<std::uint32_t>>& before,
                                          std::size_t most);

}  // namespace berth::planners
