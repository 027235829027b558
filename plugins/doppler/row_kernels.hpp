// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace berth::doppler {

/// Dense row kernels of the heads, compiled for AVX-512, AVX2 and the baseline and chosen at load
/// time. Matrices are row-major and do not overlap. Each output row depends on its own input row
/// alone and is summed in the order of the inner index, so results do not depend on batching.
struct Shape {
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 0;
};

/// y[rows, columns] += x[rows, inner] * matrix[inner, columns]
void add_product(Shape shape, const float* x, const float* matrix, float* y);

/// matrix[inner, columns] += x[rows, inner]^T * y[rows, columns]
void add_outer(Shape shape, const float* x, const float* y, float* matrix);

/// out[columns, rows] = in[rows, columns]^T
void transpose(std::size_t rows, std::size_t columns, const float* in, float* out);

/// y[i] = x[i] if x[i] > 0 else 0.1 x[i]
void leaky(std::size_t count, const float* x, float* y);

/// gradient[i] *= 0.1 where x[i] <= 0
void leaky_backward(std::size_t count, const float* x, float* gradient);

/// y[row] += sum over columns of x[row, column] * weight[column]
void add_dot(std::size_t rows, std::size_t columns, const float* x, const float* weight, float* y);

}  // namespace berth::doppler
