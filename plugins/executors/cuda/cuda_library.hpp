// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "berth/rank_executor.hpp"

#include "core/device_driver.hpp"
#include "core/device_share.hpp"
#include "core/stream_runner.hpp"

namespace berth::executors {

/// Which GPUs of its node a rank takes.
enum class RankGpus : std::uint8_t {
  kShare,  ///< Its part of those that the group's ranks on the node see; all if it is alone there.
  kOwn,    ///< The one of its number among the job's ranks on the node.
};

/// What matrix products round their float32 operands to; they add up in float32.
enum class ProductPrecision : std::uint8_t { kFloat32, kTf32, kBfloat16 };

/// What a CUDA driver is opened with.
struct CudaSettings {
  std::uint32_t devices = 1;          ///< Of this process.
  std::uint32_t logical = 0;          ///< Devices that the GPUs share out; 0: a GPU is a device.
  std::uint32_t compute_streams = 1;  ///< Of a device.
  std::uint32_t copy_streams = 2;
  std::uint32_t first_gpu = 0;    ///< Of those that are used.
  std::uint32_t gpus = 0;         ///< That are used, 0: all from the first on.
  std::uint32_t all_devices = 0;  ///< That the problem has, 0: those of this process.
  ProductPrecision products = ProductPrecision::kFloat32;
};

/// What libberth_cuda_driver.so offers: the only code that needs CUDA, so that everything else is
/// built and tested without.
struct CudaLibrary {
  /// Of what crosses; both sides are built together.
  static constexpr std::uint64_t kLayout = sizeof(KernelCall) * 1000003 + sizeof(CopyCall) * 1009 +
                                           sizeof(CudaSettings) * 101 + sizeof(RankTransfer);
  std::uint64_t layout = kLayout;
  /// @throws PluginError without a driver or a GPU, RunError if there are too few.
  std::unique_ptr<DeviceDriver> (*open)(const CudaSettings& settings) = nullptr;
  /// The devices of a rank and its link to others; collective. The settings are the rank's, their
  /// GPUs are chosen here. @throws as open(); RunError if what links the ranks is missing.
  RankDevices (*open_rank)(const CudaSettings& settings,
                           RankGpus gpus,
                           const DeviceShare& share,
                           PeerGroup& peers) = nullptr;
};

constexpr const char* kCudaLibrary = "libberth_cuda_driver.so";
constexpr const char* kCudaSymbol = "berth_cuda_library";

/// Opens the library that lies beside this plugin. @throws PluginError saying what is missing.
[[nodiscard]] const CudaLibrary& cuda_library();

}  // namespace berth::executors
