// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "initial_weights.hpp"

#include <cmath>
#include <numbers>
#include <span>

namespace berth::doppler {
namespace {

double normal(Rng& rng) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - rng.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * rng.uniform());
}

/// Orthonormal `count` vectors of length `length` >= count, by Gram and Schmidt, applied twice
/// against loss of orthogonality.
std::vector<double> orthonormal(std::size_t count, std::size_t length, Rng& rng) {
  std::vector<double> rows(count * length);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span row(rows.data() + i * length, length);
    for (double& value : row) {
      value = normal(rng);
    }
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::span other(rows.data() + j * length, length);
        double dot = 0.0;
        for (std::size_t k = 0; k < length; ++k) {
          dot += row[k] * other[k];
        }
        for (std::size_t k = 0; k < length; ++k) {
          row[k] -= dot * other[k];
        }
      }
    }
    double square = 0.0;
    for (const double value : row) {
      square += value * value;
    }
    for (double& value : row) {
      value /= std::sqrt(square);
    }
  }
  return rows;
}

void fill_orthogonal(const Parameter& parameter, std::span<float> out, Rng& rng) {
  const auto rows = static_cast<std::size_t>(parameter.shape[0]);
  const auto columns = static_cast<std::size_t>(parameter.shape[1]);
  const bool tall = rows > columns;
  const std::vector<double> basis = orthonormal(tall ? columns : rows, tall ? rows : columns, rng);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      out[r * columns + c] =
          static_cast<float>(tall ? basis[c * rows + r] : basis[r * columns + c]);
    }
  }
}

}  // namespace

std::vector<float> initial_weights(const ParameterLayout& layout, Rng& rng) {
  std::vector<float> weights(layout.size(), 0.0F);
  for (const Parameter& parameter : layout.parameters()) {
    const std::span out(weights.data() + parameter.offset, parameter.size);
    if (parameter.initialiser == Initialiser::kUniform) {
      const double bound = 1.0 / std::sqrt(static_cast<double>(parameter.fan_in));
      for (float& value : out) {
        value = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
      }
    } else if (parameter.initialiser == Initialiser::kOrthogonal) {
      fill_orthogonal(parameter, out, rng);
    }
  }
  return weights;
}

}  // namespace berth::doppler
