// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "reachability.hpp"

namespace berth::executors {

Reachability::Reachability(const Graph& graph)
    : words_((graph.num_ops() + 63) / 64), bits_(graph.num_ops() * words_, 0) {
  for (const OpId op : graph.topological_order()) {
    std::uint64_t* const mine = bits_.data() + index(op) * words_;
    for (const OpId producer : graph.predecessors(op)) {
      const std::uint64_t* const theirs = bits_.data() + index(producer) * words_;
      for (std::size_t w = 0; w < words_; ++w) {
        mine[w] |= theirs[w];
      }
      mine[index(producer) / 64] |= std::uint64_t{1} << (index(producer) % 64);
    }
  }
}

}  // namespace berth::executors
