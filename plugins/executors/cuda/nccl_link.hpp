// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>

#include "berth/rank_executor.hpp"

#include "core/device_share.hpp"
#include "core/rank_link.hpp"
#include "cuda_driver.hpp"

namespace berth::executors {

/// Transfers between ranks on GPUs of their own, by NCCL. Every ordered pair of GPUs between which
/// something goes has a communicator of two, made when it is first needed: within a communicator
/// NCCL keeps order, and what is late for one pair does not hold up another. Communicators take so
/// few blocks of a GPU that, all waiting at once, they leave half of it to compute.
///
/// @param gpu_of [devices of the problem] numbers of the ranks' GPUs from 0, equal on all ranks.
/// @param driver, peers must outlive the link.
/// @throws RunError if Berth was built without NCCL.
[[nodiscard]] std::unique_ptr<RankLink> open_nccl_link(CudaDriver& driver,
                                                       PeerGroup& peers,
                                                       const DeviceShare& share,
                                                       std::span<const std::uint32_t> gpu_of);

}  // namespace berth::executors
