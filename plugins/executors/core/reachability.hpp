// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/graph.hpp"

namespace berth::executors {

/// Which ops must have ended before an op starts, whatever the placement: the transitive closure.
class Reachability {
 public:
  /// Cost O(ops * edges / 64) time, O(ops^2 / 8) bytes.
  explicit Reachability(const Graph& graph);

  /// True if there is a path of at least one edge from `ancestor` to `op`.
  [[nodiscard]] bool precedes(std::uint32_t ancestor, std::uint32_t op) const noexcept {
    return (bits_[op * words_ + ancestor / 64] >> (ancestor % 64) & 1U) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;  ///< [ops * words_] ancestors of each op.
};

}  // namespace berth::executors
