// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/partition_problem.hpp"

namespace berth::planners {

/// A set of nodes and what crosses its border, kept up to date as nodes come and go.
class StageBorder {
 public:
  explicit StageBorder(const PartitionProblem& problem);

  /// Cost O(transfers of the node).
  void add(std::uint32_t node) { move(node, +1); }
  void remove(std::uint32_t node) { move(node, -1); }

  [[nodiscard]] bool holds(std::uint32_t node) const { return inside_[node]; }
  [[nodiscard]] bool crosses(std::uint32_t transfer) const {
    return ends_[transfer] > 0 && ends_[transfer] < 1 + problem_.transfers[transfer].to.size();
  }
  /// Seconds per sample of the transfers that cross. Cost O(transfers): summed anew, free of drift.
  [[nodiscard]] double crossing_seconds() const;

 private:
  void move(std::uint32_t node, int change);

  const PartitionProblem& problem_;
  std::vector<std::vector<std::uint32_t>> touching_;  // [nodes]: transfers, once per end
  std::vector<std::size_t> ends_;                     // [transfers]: ends inside
  std::vector<bool> inside_;
};

}  // namespace berth::planners
