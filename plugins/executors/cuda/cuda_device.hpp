// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "cuda_library.hpp"

namespace berth::executors {

/// Streams, cuBLAS handles and their workspaces of one device, which lies on a GPU alone or beside
/// others. Resident as long as the driver.
class CudaDevice {
 public:
  CudaDevice(int gpu, const CudaSettings& settings);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice();

  [[nodiscard]] int gpu() const noexcept { return gpu_; }
  [[nodiscard]] cudaStream_t stream(std::uint32_t number) const { return streams_[number]; }
  [[nodiscard]] const std::vector<cudaStream_t>& streams() const noexcept { return streams_; }
  /// Of a compute stream.
  [[nodiscard]] cublasHandle_t handle(std::uint32_t number) const { return handles_[number]; }
  /// Where a copy stream keeps when its copy began.
  [[nodiscard]] unsigned long long* stamp(std::uint32_t number) const { return stamps_ + number; }

 private:
  void free_all() noexcept;

  int gpu_;
  std::vector<cudaStream_t> streams_;    ///< Compute streams, then copy streams.
  std::vector<cublasHandle_t> handles_;  ///< [compute streams]
  std::vector<void*> workspaces_;        ///< [compute streams] of cuBLAS.
  unsigned long long* stamps_ = nullptr;
};

}  // namespace berth::executors
