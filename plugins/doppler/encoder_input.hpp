// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::doppler {

/// Rows summed by a fixed 0/1 matrix: output row r is the sum of the input rows
/// columns[offsets[r]] .. columns[offsets[r+1]-1].
struct RowSums {
  std::size_t inputs = 0;
  std::vector<std::int64_t> offsets;  ///< [outputs + 1]
  std::vector<std::int64_t> columns;

  std::size_t outputs() const noexcept { return offsets.size() - 1; }
};

/// What message passing needs of a problem. C++17: the LibTorch file reads it.
///
/// Arcs u->v with the same target and the same feature row form a pair (v, value): their source
/// rows are summed first, then multiplied by the one matrix of that value.
struct EncoderInput {
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::vector<float> node_features;         ///< [num_ops, node_columns], normalised over the graph
  std::vector<float> edge_values;           ///< [distinct, edge_columns], normalised over all arcs
  std::vector<std::int64_t> value_offsets;  ///< [distinct + 1] pairs, sorted by value
  std::vector<std::int64_t> pair_value;     ///< [pairs]
  RowSums pair_sources;                     ///< [pairs] from [num_ops]
  RowSums target_pairs;                     ///< [num_ops] from [pairs]
  /// [num_ops] next op on the longest path to a sink (b) or to a source (t); num_ops at its end.
  std::vector<std::int64_t> b_next, t_next;
  /// [num_ops] ops in an order in which every op comes after its next one.
  std::vector<std::int64_t> b_order, t_order;
  /// [num_ops] the row read as op's path sum; empty: its own. (`path_rows=dfs` shuffles them.)
  std::vector<std::int64_t> b_rows, t_rows;
};

/// By what the rows of ops are multiplied that are summed up on their device. A device holds about
/// ops/devices of them; the spread of their sum grows with the root of that, which this undoes, and
/// their mean with the number itself: beyond 64 ops a device it does not grow any more, so that a
/// policy that learned on small graphs meets nothing new on large ones.
inline double row_scale(std::size_t ops, std::size_t devices) {
  constexpr double kFew = 64.0;
  const double each = static_cast<double>(std::max<std::size_t>(1, ops)) /
                      static_cast<double>(std::max<std::size_t>(1, devices));
  return each <= kFew ? std::sqrt(1.0 / each) : std::sqrt(kFew) / each;
}

}  // namespace berth::doppler
