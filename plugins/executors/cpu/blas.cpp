// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "blas.hpp"

// The Fortran interface, which every BLAS has under this name.
extern "C" void sgemm_(const char* transa,
                       const char* transb,
                       const int* m,
                       const int* n,
                       const int* k,
                       const float* alpha,
                       const float* a,
                       const int* lda,
                       const float* b,
                       const int* ldb,
                       const float* beta,
                       float* c,
                       const int* ldc);

namespace berth::executors {

void multiply_matrices(
    const MatrixShape& shape, const float* a, const float* b, float* c, bool accumulate) noexcept {
  // Column-major C^T = B^T A^T is row-major C = A B.
  const int m = static_cast<int>(shape.n);
  const int n = static_cast<int>(shape.m);
  const int k = static_cast<int>(shape.k);
  const int lda = static_cast<int>(shape.ldb);
  const int ldb = static_cast<int>(shape.lda);
  const int ldc = static_cast<int>(shape.ldc);
  const float one = 1.0F;
  const float beta = accumulate ? 1.0F : 0.0F;
  sgemm_(shape.b_transposed ? "T" : "N",
         shape.a_transposed ? "T" : "N",
         &m,
         &n,
         &k,
         &one,
         b,
         &lda,
         a,
         &ldb,
         &beta,
         c,
         &ldc);
}

}  // namespace berth::executors
