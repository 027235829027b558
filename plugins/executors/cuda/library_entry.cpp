// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/export.hpp"

#include "cuda_driver.hpp"
#include "cuda_library.hpp"
#include "rank_devices.hpp"

/// The one symbol of libberth_cuda_driver.so.
extern "C" BERTH_API const berth::executors::CudaLibrary* berth_cuda_library() {
  static const berth::executors::CudaLibrary library{
      berth::executors::CudaLibrary::kLayout,
      [](const berth::executors::CudaSettings& settings)
          -> std::unique_ptr<berth::executors::DeviceDriver> {
        return std::make_unique<berth::executors::CudaDriver>(settings);
      },
      &berth::executors::open_rank_devices};
  return &library;
}
