// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace berth::executors {

/// Row-major matrices as BLAS wants to hear of them.
struct MatrixShape {
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t k;
  std::uint64_t lda;
  std::uint64_t ldb;
  std::uint64_t ldc;
  bool a_transposed;
  bool b_transposed;
};

/// C = A B, or C += A B. float32, row-major, one thread.
void multiply_matrices(
    const MatrixShape& shape, const float* a, const float* b, float* c, bool accumulate) noexcept;

}  // namespace berth::executors
