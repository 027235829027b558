// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <vector>

namespace berth::doppler {

/// Weights by position under a binary tree of their sums, so that one is drawn in proportion to
/// them in O(log positions). Sums are of the leaves below, never differences: nothing drifts.
class WeightTree {
 public:
  explicit WeightTree(std::size_t positions)
      : leaves_(std::bit_ceil(positions + (positions == 0 ? 1U : 0U))), sum_(2 * leaves_, 0.0) {}

  [[nodiscard]] double total() const noexcept { return sum_[1]; }

  void set(std::size_t position, double weight) noexcept {
    std::size_t node = leaves_ + position;
    sum_[node] = weight;
    for (node /= 2; node > 0; node /= 2) {
      sum_[node] = sum_[2 * node] + sum_[2 * node + 1];
    }
  }

  /// The first position at which the running sum exceeds `uniform` in [0, 1) of the total; always
  /// one of positive weight. @pre total() > 0
  [[nodiscard]] std::size_t find(double uniform) const noexcept {
    double left = uniform * total();
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (left >= sum_[node] && sum_[node + 1] > 0.0) {
        left -= sum_[node];
        ++node;
      }
    }
    return node - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<double> sum_;  ///< [2 * leaves] root at 1
};

}  // namespace berth::doppler
