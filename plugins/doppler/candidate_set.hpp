// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/graph.hpp"

namespace berth::doppler {

/// The ops that may be picked next: unassigned, all predecessors assigned. Kept in order of
/// insertion: at first the sources by id; a picked op leaves, then each successor (in edge order)
/// that has become legal is appended. Allocates nothing after construction.
class CandidateSet {
 public:
  explicit CandidateSet(const Graph& graph);

  void reset();
  [[nodiscard]] std::span<const std::uint32_t> list() const noexcept { return list_; }
  /// Removes the candidate at `position`. O(candidates + successors).
  void pick(std::size_t position);

 private:
  const Graph* graph_;
  std::vector<std::uint32_t> list_;
  std::vector<std::uint32_t> missing_;  ///< [ops] unassigned predecessors
};

}  // namespace berth::doppler
