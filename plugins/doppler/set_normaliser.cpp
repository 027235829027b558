// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "set_normaliser.hpp"

#include <cmath>

namespace berth::doppler {
namespace {

constexpr double kEpsilon = 1e-6;

}  // namespace

void SetNormaliser::forward(std::size_t rows, std::size_t columns, const float* x, float* out) {
  inverse_.assign(columns, 0.0F);
  stretch_.assign(columns, 1.0F);
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0.0;
    bool constant = true;
    for (std::size_t r = 0; r < rows; ++r) {
      mean += static_cast<double>(x[r * columns + c]);
      constant = constant && x[r * columns + c] == x[c];
    }
    mean /= static_cast<double>(rows);
    if (constant) {
      for (std::size_t r = 0; r < rows; ++r) {
        out[r * columns + c] = 0.0F;
      }
      continue;
    }
    double square = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double off = static_cast<double>(x[r * columns + c]) - mean;
      square += off * off;
    }
    const double deviation = std::sqrt(square / static_cast<double>(rows));
    const double inverse = 1.0 / (deviation + kEpsilon);
    inverse_[c] = static_cast<float>(inverse);
    stretch_[c] = static_cast<float>((deviation + kEpsilon) / deviation);
    for (std::size_t r = 0; r < rows; ++r) {
      out[r * columns + c] =
          static_cast<float>((static_cast<double>(x[r * columns + c]) - mean) * inverse);
    }
  }
}

void SetNormaliser::backward(std::size_t rows,
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
