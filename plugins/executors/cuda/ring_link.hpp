// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device_share.hpp"
#include "core/rank_link.hpp"
#include "core/shared_ring.hpp"
#include "cuda_driver.hpp"

namespace berth::executors {

/// Memory that a GPU can read and write as long as this object lives.
class PinnedMemory {
 public:
  /// @throws RunError
  PinnedMemory(void* memory, std::size_t bytes);
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  /// Where a GPU sees what the host sees at `memory`.
  template <class Value>
  [[nodiscard]] Value* on_gpu(Value* memory) const noexcept {
    return reinterpret_cast<Value*>(on_gpu_ + (reinterpret_cast<const char*>(memory) - on_host_));
  }

 private:
  char* on_host_;
  char* on_gpu_ = nullptr;
};

/// Transfers between ranks that share a GPU, where NCCL refuses to go: through memory of the host
/// that both have pinned. Kernels of one thread wait for chunks and announce them; no host stands
/// between. They end at once when the driver is cancelled, so the ring needs no abort of its own.
class RingLink final : public RankLink {
 public:
  /// The driver must outlive the link.
  RingLink(SharedRings rings, CudaDriver& driver, const DeviceShare& share);
  ~RingLink() override;

  void connect(std::span<const DevicePair> pairs) override;
  void send(StreamId stream, const float* from, const RankTransfer& transfer) override;
  void receive(StreamId stream, float* to, const RankTransfer& transfer) override;
  std::string failure() override { return {}; }
  void abort() noexcept override { driver_.cancel(); }
  std::string description() const override { return "memory of the host"; }

 private:
  struct End {
    SharedRing* ring = nullptr;
    std::unique_ptr<PinnedMemory> memory;
  };

  SharedRings rings_;
  CudaDriver& driver_;
  DeviceShare share_;
  std::vector<End> to_;    ///< [ranks]
  std::vector<End> from_;  ///< [ranks]
};

}  // namespace berth::executors
