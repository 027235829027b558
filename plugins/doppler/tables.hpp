// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

namespace berth::doppler {

/// What the networks say of each op before a rollout starts: all that depends on weights and
/// graph alone. The gradient of a loss by these tables has the same shape. C++17.
struct Tables {
  std::vector<float> sel_score;   ///< [ops] logit of each op (heads without normalisation)
  std::vector<float> sel_static;  ///< [ops, head] projected embedding + bias (with normalisation)
  std::vector<float> sel_b;       ///< [ops, hidden] path sums, normalised over the graph
  std::vector<float> sel_t;       ///< [ops, hidden]
  std::vector<float> plc_static;  ///< [ops, head] projected embedding, own features and bias
  /// [ops, row width] added to a device's sum once the op is placed: the embedding (with
  /// normalisation), else its projection to the head followed by the affinity key.
  std::vector<float> plc_row;
  std::vector<float> plc_query;  ///< [ops, affinity]

  /// Zeros in the shape of `other`.
  static Tables zeros_like(const Tables& other) {
    Tables zeros;
    zeros.sel_score.assign(other.sel_score.size(), 0.0F);
    zeros.sel_static.assign(other.sel_static.size(), 0.0F);
    zeros.sel_b.assign(other.sel_b.size(), 0.0F);
    zeros.sel_t.assign(other.sel_t.size(), 0.0F);
    zeros.plc_static.assign(other.plc_static.size(), 0.0F);
    zeros.plc_row.assign(other.plc_row.size(), 0.0F);
    zeros.plc_query.assign(other.plc_query.size(), 0.0F);
    return zeros;
  }
};

}  // namespace berth::doppler
