// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/error.hpp"

#include "nccl_link.hpp"

namespace berth::executors {

// Built where there is no NCCL.
std::unique_ptr<RankLink> open_nccl_link(CudaDriver& /*driver*/,
                                         PeerGroup& /*peers*/,
                                         const DeviceShare& /*share*/,
                                         std::span<const std::uint32_t> /*gpu_of*/) {
  throw RunError(
      "cuda: ranks on different GPUs need NCCL, and Berth was built without; expected a build "
      "that found nccl.h, or ranks that share a GPU");
}

}  // namespace berth::executors
