// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "row_kernels.hpp"

#include <algorithm>

#include "function_clones.hpp"

namespace berth::doppler {
namespace {

constexpr float kSlope = 0.1F;
constexpr std::size_t kLanes = 16;
constexpr std::size_t kRows = 4;

/// y += x * matrix for `width` columns from `begin` on, sums in registers. Four rows at a time
/// share each load of the matrix; every row is summed in the same order. Inlined into each clone.
template <std::size_t width>
[[gnu::always_inline]] inline void add_block(
    Shape shape, std::size_t begin, const float* x, const float* matrix, float* y) {
  std::size_t r = 0;
  for (; r + kRows <= shape.rows; r += kRows) {
    const float* in = x + r * shape.inner;
    float* out = y + r * shape.columns + begin;
    float sum[kRows][width];
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        sum[i][c] = out[i * shape.columns + c];
      }
    }
    for (std::size_t k = 0; k < shape.inner; ++k) {
      const float* row = matrix + k * shape.columns + begin;
      for (std::size_t c = 0; c < width; ++c) {
        sum[0][c] += in[k] * row[c];
        sum[1][c] += in[shape.inner + k] * row[c];
        sum[2][c] += in[2 * shape.inner + k] * row[c];
        sum[3][c] += in[3 * shape.inner + k] * row[c];
      }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        out[i * shape.columns + c] = sum[i][c];
      }
    }
  }
  for (; r < shape.rows; ++r) {
    const float* in = x + r * shape.inner;
    float* out = y + r * shape.columns + begin;
    float sum[width];
    for (std::size_t c = 0; c < width; ++c) {
      sum[c] = out[c];
    }
    for (std::size_t k = 0; k < shape.inner; ++k) {
      const float* row = matrix + k * shape.columns + begin;
      for (std::size_t c = 0; c < width; ++c) {
        sum[c] += in[k] * row[c];
      }
    }
    for (std::size_t c = 0; c < width; ++c) {
      out[c] = sum[c];
    }
  }
}

}  // namespace

BERTH_CLONES void add_product(Shape shape, const float* x, const float* matrix, float* y) {
  std::size_t begin = 0;
  for (; begin + 32 <= shape.columns; begin += 32) {
    add_block<32>(shape, begin, x, matrix, y);
  }
  if (begin + 16 <= shape.columns) {
    add_block<16>(shape, begin, x, matrix, y);
    begin += 16;
  }
  for (std::size_t r = 0; r < shape.rows && begin < shape.columns; ++r) {
    const float* in = x + r * shape.inner;
    float* out = y + r * shape.columns;
    for (std::size_t k = 0; k < shape.inner; ++k) {
      const float* row = matrix + k * shape.columns;
      for (std::size_t c = begin; c < shape.columns; ++c) {
        out[c] += in[k] * row[c];
      }
    }
  }
}

BERTH_CLONES void add_outer(Shape shape, const float* x, const float* y, float* matrix) {
  for (std::size_t r = 0; r < shape.rows; r += 4) {
    const std::size_t rows = std::min<std::size_t>(4, shape.rows - r);
    for (std::size_t k = 0; k < shape.inner; ++k) {
      float* row = matrix + k * shape.columns;
      const float* in = x + r * shape.inner + k;
      const float* from = y + r * shape.columns;
      if (rows == 4) {
        const float a = in[0];
        const float b = in[shape.inner];
        const float c = in[2 * shape.inner];
        const float d = in[3 * shape.inner];
        for (std::size_t j = 0; j < shape.columns; ++j) {
          row[j] += a * from[j] + b * from[shape.columns + j] + c * from[2 * shape.columns + j] +
                    d * from[3 * shape.columns + j];
        }
        continue;
      }
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < shape.columns; ++j) {
          row[j] += in[i * shape.inner] * from[i * shape.columns + j];
        }
      }
    }
  }
}

void transpose(std::size_t rows, std::size_t columns, const float* in, float* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      out[c * rows + r] = in[r * columns + c];
    }
  }
}

BERTH_CLONES void leaky(std::size_t count, const float* x, float* y) {
  for (std::size_t i = 0; i < count; ++i) {
    y[i] = x[i] > 0.0F ? x[i] : kSlope * x[i];
  }
}

BERTH_CLONES void leaky_backward(std::size_t count, const float* x, float* gradient) {
  for (std::size_t i = 0; i < count; ++i) {
    gradient[i] *= x[i] > 0.0F ? 1.0F : kSlope;
  }
}

BERTH_CLONES void add_dot(
    std::size_t rows, std::size_t columns, const float* x, const float* weight, float* y) {
  for (std::size_t r = 0; r < rows; ++r) {
    float lane[kLanes] = {};
    const float* in = x + r * columns;
    const std::size_t whole = columns / kLanes * kLanes;
    for (std::size_t begin = 0; begin < whole; begin += kLanes) {
      for (std::size_t i = 0; i < kLanes; ++i) {
        lane[i] += in[begin + i] * weight[begin + i];
      }
    }
    float sum = 0.0F;
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum += lane[i];
    }
    for (std::size_t c = whole; c < columns; ++c) {
      sum += in[c] * weight[c];
    }
    y[r] += sum;
  }
}

}  // namespace berth::doppler
