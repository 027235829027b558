// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "row_kernels.hpp"

namespace berth::doppler {

/// Columns of a linear layer's weight, kept in the two orders that its passes need.
class LinearBlock {
 public:
  LinearBlock() = default;
  /// @param weight the layer's [outputs, row_length]; takes columns first .. first+inputs-1.
  LinearBlock(const float* weight,
              std::size_t outputs,
              std::size_t row_length,
              std::size_t first,
              std::size_t inputs);

  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }

  /// y[rows, outputs] += x[rows, inputs] * W^T
  void apply(std::size_t rows, const float* x, float* y) const {
    add_product({rows, inputs_, outputs_}, x, forward_.data(), y);
  }
  /// dx[rows, inputs] += dy[rows, outputs] * W
  void apply_transposed(std::size_t rows, const float* dy, float* dx) const {
    add_product({rows, outputs_, inputs_}, dy, backward_.data(), dx);
  }

 private:
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  std::vector<float> forward_;   ///< [inputs, outputs]
  std::vector<float> backward_;  ///< [outputs, inputs]
};

/// Collects the gradient of a LinearBlock over many rows.
class LinearGradient {
 public:
  explicit LinearGradient(const LinearBlock& block)
      : inputs_(block.inputs()), outputs_(block.outputs()), sum_(inputs_ * outputs_, 0.0F) {}

  void add(std::size_t rows, const float* x, const float* dy) {
    add_outer({rows, inputs_, outputs_}, x, dy, sum_.data());
  }
  /// Adds the sum to columns first .. of a weight gradient [outputs, row_length].
  void write(float* weight, std::size_t row_length, std::size_t first) const;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  std::vector<float> sum_;  ///< [inputs, outputs]
};

}  // namespace berth::doppler
