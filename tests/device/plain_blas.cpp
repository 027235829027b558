// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The one BLAS function that the cpu executor calls, for machines without a BLAS.

#include <cstddef>
#include <vector>

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
                       const int* ldc) {
  const auto at = [](int row, int column, int leading) {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(leading) +
           static_cast<std::size_t>(row);
  };
  std::vector<float> column(static_cast<std::size_t>(*m));
  for (int j = 0; j < *n; ++j) {
    column.assign(column.size(), 0.0F);
    for (int l = 0; l < *k; ++l) {
      const float right = *transb == 'N' ? b[at(l, j, *ldb)] : b[at(j, l, *ldb)];
      for (int i = 0; i < *m; ++i) {
        column[static_cast<std::size_t>(i)] +=
            right * (*transa == 'N' ? a[at(i, l, *lda)] : a[at(l, i, *lda)]);
      }
    }
    for (int i = 0; i < *m; ++i) {
      float& out = c[at(i, j, *ldc)];
      out = *alpha * column[static_cast<std::size_t>(i)] + (*beta == 0.0F ? 0.0F : *beta * out);
    }
  }
}
