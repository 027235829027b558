// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "core/device_driver.hpp"

namespace berth::executors {

/// What a CUDA driver is opened with.
struct CudaSettings {
  std::uint32_t devices = 1;          ///< That the problem has.
  std::uint32_t logical = 0;          ///< Devices that the GPUs share out; 0: a GPU is a device.
  std::uint32_t compute_streams = 1;  ///< Of a device.
  std::uint32_t copy_streams = 2;
};

/// What libberth_cuda_driver.so offers: the only code that needs CUDA, so that everything else is
/// built and tested without.
struct CudaLibrary {
  /// Of what crosses; both sides are built together.
  static constexpr std::uint64_t kLayout =
      sizeof(KernelCall) * 1000003 + sizeof(CopyCall) * 1009 + sizeof(CudaSettings);
  std::uint64_t layout = kLayout;
  /// @throws PluginError without a driver or a GPU, RunError if there are too few.
  std::unique_ptr<DeviceDriver> (*open)(const CudaSettings& settings) = nullptr;
};

constexpr const char* kCudaLibrary = "libberth_cuda_driver.so";
constexpr const char* kCudaSymbol = "berth_cuda_library";

/// Opens the library that lies beside this plugin. @throws PluginError saying what is missing.
[[nodiscard]] const CudaLibrary& cuda_library();

}  // namespace berth::executors
