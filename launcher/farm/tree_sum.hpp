// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mpi_session.hpp"
#include "work_division.hpp"

namespace berth::launcher {

/// Sums one array per group over all groups of an update along a fixed binary tree of group
/// numbers: range [a, b) is [a, m) + [m, b) with m = (a + b) / 2. The number of ranks decides only
/// which edges of the tree are messages, so the sum has the same bits for any number of them.
class TreeSum {
 public:
  /// Adds the array of one group to `out`, which is zero.
  using Leaf = std::function<void(std::uint64_t group, std::span<float> out)>;

  TreeSum(MpiSession& session, const WorkDivision& division, std::size_t values);

  /// @return [values] the sum, on every rank; valid until the next call.
  /// Cost: each rank its own leaves, ceil(log2 ranks) messages of `values` floats in a row, and a
  /// broadcast. Memory: values * (log2 groups + 2).
  [[nodiscard]] std::span<const float> operator()(const Leaf& leaf);

 private:
  void sum(Range groups, std::size_t depth, const Leaf& leaf, std::vector<float>& out);

  MpiSession* session_;
  WorkDivision division_;
  Range own_;
  std::vector<float> total_;
  std::vector<std::vector<float>> scratch_;
};

}  // namespace berth::launcher
