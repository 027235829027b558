// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <string>

#include "berth/error.hpp"

namespace berth::executors {

/// @throws RunError naming the call and what CUDA says of it.
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw RunError(std::string("cuda: ") + call + ": " + cudaGetErrorString(status) + " (" +
                   cudaGetErrorName(status) + ")");
  }
}

inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw RunError(std::string("cuda: ") + call + ": " + cublasGetStatusString(status));
  }
}

}  // namespace berth::executors
