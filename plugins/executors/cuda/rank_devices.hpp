// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda_library.hpp"

namespace berth::executors {

/// A stretch of the GPUs that a process sees.
struct GpuRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  bool operator==(const GpuRange&) const = default;
};

/// What one of `ranks` that see the same `gpus` takes of them: equal parts in order, or, where
/// there are more ranks than GPUs, one that it shares. @param index of the rank among these.
[[nodiscard]] GpuRange part_of_gpus(std::uint32_t index, std::uint32_t ranks, std::uint32_t gpus);

/// The devices of a rank on its GPUs, and a link to the other ranks: through the host's memory to
/// those that share a GPU with it, by NCCL to others; collective.
/// @throws as CudaLibrary::open_rank().
[[nodiscard]] RankDevices open_rank_devices(const CudaSettings& settings,
                                            RankGpus gpus,
                                            const DeviceShare& share,
                                            PeerGroup& peers);

}  // namespace berth::executors
