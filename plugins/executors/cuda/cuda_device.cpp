// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_device.hpp"

#include "cuda_check.hpp"

namespace berth::executors {

CudaDevice::CudaDevice(int gpu, const CudaSettings& settings) : gpu_(gpu) {
  // What cuBLAS recommends; its own would be allocated while a run is captured.
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu),
        "cudaDeviceGetAttribute");
  const std::size_t workspace = (major >= 9 ? std::size_t{32} : std::size_t{4}) << 20U;
  try {
    check(cudaSetDevice(gpu), "cudaSetDevice");
    const std::uint32_t all = settings.compute_streams + settings.copy_streams;
    int least = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    for (std::uint32_t s = 0; s < all; ++s) {
      // Kernels that make copies last as long as a link would must not queue behind large ones.
      const int priority = s < settings.compute_streams ? least : greatest;
      check(cudaStreamCreateWithPriority(&streams_.emplace_back(), cudaStreamNonBlocking, priority),
            "cudaStreamCreateWithPriority");
    }
    for (std::uint32_t s = 0; s < settings.compute_streams; ++s) {
      check(cudaMalloc(&workspaces_.emplace_back(), workspace), "cudaMalloc for cuBLAS");
      check(cublasCreate(&handles_.emplace_back()), "cublasCreate");
      check(cublasSetStream(handles_[s], streams_[s]), "cublasSetStream");
      check(cublasSetWorkspace(handles_[s], workspaces_[s], workspace), "cublasSetWorkspace");
    }
    void* stamps = nullptr;
    check(cudaMalloc(&stamps, all * sizeof(unsigned long long)), "cudaMalloc");
    stamps_ = static_cast<unsigned long long*>(stamps);
  } catch (...) {
    free_all();
    throw;
  }
}

CudaDevice::~CudaDevice() {
  free_all();
}

void CudaDevice::free_all() noexcept {
  cudaSetDevice(gpu_);
  for (cublasHandle_t handle : handles_) {
    if (handle != nullptr) {
      cublasDestroy(handle);
    }
  }
  for (void* workspace : workspaces_) {
    cudaFree(workspace);
  }
  for (cudaStream_t stream : streams_) {
    if (stream != nullptr) {
      cudaStreamDestroy(stream);
    }
  }
  cudaFree(stamps_);
}

}  // namespace berth::executors
