// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "set_normaliser.hpp"

#include <cmath>

#include "function_clones.hpp"

namespace berth::doppler {
namespace {

constexpr double kEpsilon = 1e-6;
constexpr double kTiny = 1e-300;
constexpr double kRounding = 1e-12;

}  // namespace

BERTH_CLONES void SetNormaliser::forward(std::size_t rows,
                                         std::size_t columns,
                                         const float* x,
                                         float* out) {
  inverse_.resize(columns);
  stretch_.resize(columns);
  mean_.assign(columns, 0.0);
  square_.assign(columns, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      mean_[c] += static_cast<double>(x[r * columns + c]);
    }
  }
  const double share = 1.0 / static_cast<double>(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    mean_[c] *= share;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double off = static_cast<double>(x[r * columns + c]) - mean_[c];
      square_[c] += off * off;
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const double deviation = std::sqrt(square_[c] * share);
    inverse_[c] = static_cast<float>(1.0 / (deviation + kEpsilon));
    stretch_[c] = static_cast<float>((deviation + kEpsilon) / (deviation + kTiny));
  }
  for (std::size_t c = 0; c < columns; ++c) {
    // In double the rounded mean of equal floats is off by parts in 1e16 of their size at most.
    const double size = std::abs(static_cast<double>(x[c]));
    const bool constant = square_[c] * share <= (size * kRounding) * (size * kRounding);
    inverse_[c] = constant ? 0.0F : inverse_[c];
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double off = static_cast<double>(x[r * columns + c]) - mean_[c];
      out[r * columns + c] = static_cast<float>(off) * inverse_[c];
    }
  }
}

BERTH_CLONES void SetNormaliser::backward(std::size_t rows,
                                          const float* out,
                                          const float* dout,
                                          float* dx) const {
  const std::size_t columns = inverse_.size();
  const float share = 1.0F / static_cast<float>(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    float mean = 0.0F;
    float along = 0.0F;
    for (std::size_t r = 0; r < rows; ++r) {
      mean += dout[r * columns + c] * share;
      along += dout[r * columns + c] * out[r * columns + c] * share;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = r * columns + c;
      dx[i] += inverse_[c] * (dout[i] - mean - out[i] * along * stretch_[c]);
    }
  }
}

}  // namespace berth::doppler
