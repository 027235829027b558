// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/graph.hpp"

namespace berth::baselines {

/// The ops whose predecessors have all been taken: sources by id, then in the order in which they
/// became ready, successors in edge order.
class ReadySet {
 public:
  explicit ReadySet(const Graph& graph) : graph_(&graph), missing_(graph.num_ops()) {
    for (std::size_t v = 0; v < missing_.size(); ++v) {
      missing_[v] = graph.predecessors(to_id<OpId>(v)).size();
      if (missing_[v] == 0) {
        ops_.push_back(to_id<OpId>(v));
      }
    }
  }

  [[nodiscard]] const std::vector<OpId>& ops() const noexcept { return ops_; }
  [[nodiscard]] bool empty() const noexcept { return ops_.empty(); }

  /// Removes the op at `position` in ops() and adds the successors that become ready.
  void take(std::size_t position) {
    const OpId op = ops_[position];
    ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(position));
    for (const OpId next : graph_->successors(op)) {
      if (--missing_[index(next)] == 0) {
        ops_.push_back(next);
      }
    }
  }

 private:
  const Graph* graph_;
  std::vector<std::size_t> missing_;
  std::vector<OpId> ops_;
};

}  // namespace berth::baselines
