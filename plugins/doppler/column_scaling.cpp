// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "column_scaling.hpp"

#include <cmath>

namespace berth::doppler {
namespace {

constexpr double kEpsilon = 1e-6;

struct Moments {
  double mean = 0.0;
  double scale = 1.0;
};

template <class Value>
Moments moments(std::size_t count, const Value& value) {
  Moments result;
  double constant = value(0);
  bool all_equal = true;
  for (std::size_t i = 0; i < count; ++i) {
    result.mean += value(i);
    all_equal = all_equal && value(i) == constant;
  }
  result.mean /= static_cast<double>(count);
  if (all_equal) {
    return {constant, 1.0};
  }
  double square = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    square += (value(i) - result.mean) * (value(i) - result.mean);
  }
  result.scale = 1.0 / (std::sqrt(square / static_cast<double>(count)) + kEpsilon);
  return result;
}

}  // namespace

void normalise_rows(std::span<const double> x,
                    std::size_t columns,
                    std::span<const std::uint32_t> rows,
                    std::span<float> out) {
  for (std::size_t c = 0; c < columns && !rows.empty(); ++c) {
    const auto value = [&](std::size_t i) { return x[rows[i] * columns + c]; };
    const Moments column = moments(rows.size(), value);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out[i * columns + c] = static_cast<float>((value(i) - column.mean) * column.scale);
    }
  }
}

void normalise_columns(std::span<double> x, std::size_t columns) {
  const std::size_t rows = columns == 0 ? 0 : x.size() / columns;
  for (std::size_t c = 0; c < columns && rows > 0; ++c) {
    const auto value = [&](std::size_t i) { return x[i * columns + c]; };
    const Moments column = moments(rows, value);
    for (std::size_t i = 0; i < rows; ++i) {
      x[i * columns + c] = (value(i) - column.mean) * column.scale;
    }
  }
}

}  // namespace berth::doppler
