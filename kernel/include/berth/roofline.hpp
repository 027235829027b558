// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// Time of one kernel on one accelerator. Spec 7.2; fitted values and their error are in
/// plugins/nest/README.md.
struct BERTH_API Roofline {
  double peak_flops_per_second = 0.0;    ///< Matrix units, half precision, dense.
  double memory_bytes_per_second = 0.0;  ///< Device memory.
  double matrix_efficiency = 0.59;       ///< Of the peak, for large products.
  double memory_efficiency = 0.755;      ///< Of the memory bandwidth.
  double kernel_overhead_seconds = 0.0;  ///< Least time of any kernel: launch and host.
  double small_matrix = 0.0;             ///< m0: a product loses (1 + m0/M)(1 + m0/N)(1 + m0/K).

  /// `count` products of M x K by K x N in one kernel, operands and result of 2 bytes.
  [[nodiscard]] double product(double m, double n, double k, double count = 1.0) const;

  /// A kernel that moves `size_bytes` and computes little.
  [[nodiscard]] double vector(double size_bytes) const;
};

}  // namespace abi_v1
}  // namespace berth
