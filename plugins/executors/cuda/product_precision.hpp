// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cublas_v2.h>

#include "cuda_library.hpp"

namespace berth::executors {

/// A precision as cuBLAS names it, and as description() does; "" for float32.
struct ProductType {
  cublasComputeType_t compute;
  const char* words;
};

[[nodiscard]] inline ProductType type_of(ProductPrecision precision) {
  switch (precision) {
    case ProductPrecision::kTf32:
      return {CUBLAS_COMPUTE_32F_FAST_TF32, ", products in TF32"};
    case ProductPrecision::kBfloat16:
      return {CUBLAS_COMPUTE_32F_FAST_16BF, ", products in bfloat16"};
    case ProductPrecision::kFloat32:
      break;
  }
  return {CUBLAS_COMPUTE_32F, ""};
}

}  // namespace berth::executors
