// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "packed_problem.hpp"

namespace berth::internal {

/// Gathers the outputs of one op into one transfer for each destination device: the one that
/// takes longest among the edges to its consumers there (all carry parts of one result).
class OutgoingTransfers {
 public:
  struct Transfer {
    std::uint32_t to;
    std::uint32_t consumer;  ///< The first in edge order.
    std::uint64_t edge;      ///< The longest; the first of equals.
    double duration;         ///< On idle links.
  };

  explicit OutgoingTransfers(std::size_t devices) : slot_(devices, kNone) {
    list_.reserve(devices);
  }

  /// The transfers of `producer` to other devices, by destination. Valid until the next call.
  /// Cost O(out-degree + destinations^2).
  const std::vector<Transfer>& gather(const PackedProblem& packed,
                                      const OpState* state,
                                      std::size_t producer) {
    list_.clear();
    const std::uint32_t from = state[producer].device;
    const std::uint64_t end = packed.ops[producer + 1].out_begin;
    for (std::uint64_t e = packed.ops[producer].out_begin; e < end; ++e) {
      const PackedEdge& edge = packed.edges[e];
      const std::uint32_t to = state[edge.target].device;
      if (to == from) {
        continue;
      }
      const double duration = packed.transfer(edge, from, to);
      if (slot_[to] == kNone) {
        slot_[to] = static_cast<std::uint32_t>(list_.size());
        list_.push_back({to, edge.target, e, duration});
      } else if (Transfer& found = list_[slot_[to]]; duration > found.duration) {
        found.edge = e;
        found.duration = duration;
      }
    }
    for (std::size_t i = 0; i < list_.size(); ++i) {
      slot_[list_[i].to] = kNone;
      for (std::size_t j = i; j > 0 && list_[j].to < list_[j - 1].to; --j) {
        std::swap(list_[j], list_[j - 1]);
      }
    }
    return list_;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<std::uint32_t> slot_;  ///< [devices] position in list_ or kNone.
  std::vector<Transfer> list_;
};

}  // namespace berth::internal
