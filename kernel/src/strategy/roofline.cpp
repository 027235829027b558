// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/roofline.hpp"

#include <algorithm>

namespace berth {
inline namespace abi_v1 {

double Roofline::product(double m, double n, double k, double count) const {
  const double penalty =
      (1.0 + small_matrix / m) * (1.0 + small_matrix / n) * (1.0 + small_matrix / k);
  const double compute =
      2.0 * m * n * k * count / (matrix_efficiency * peak_flops_per_second) * penalty;
  const double moved = 2.0 * count * (m * k + k * n + m * n);
  return std::max(
      {kernel_overhead_seconds, compute, moved / (memory_efficiency * memory_bytes_per_second)});
}

double Roofline::vector(double size_bytes) const {
  return std::max(kernel_overhead_seconds,
                  size_bytes / (memory_efficiency * memory_bytes_per_second));
}

}  // namespace abi_v1
}  // namespace berth
