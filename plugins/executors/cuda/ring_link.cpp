// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "ring_link.hpp"

#include <algorithm>

#include "cuda_check.hpp"
#include "cuda_kernels.hpp"

namespace berth::executors {

PinnedMemory::PinnedMemory(void* memory, std::size_t bytes) : on_host_(static_cast<char*>(memory)) {
  check(cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable),
        "cudaHostRegister");
  void* seen = nullptr;
  const cudaError_t status = cudaHostGetDevicePointer(&seen, memory, 0);
  if (status != cudaSuccess) {
    cudaHostUnregister(memory);
    check(status, "cudaHostGetDevicePointer");
  }
  on_gpu_ = static_cast<char*>(seen);
}

PinnedMemory::~PinnedMemory() {
  cudaHostUnregister(on_host_);
}

RingLink::RingLink(SharedRings rings, CudaDriver& driver, const DeviceShare& share)
    : rings_(std::move(rings)), driver_(driver), share_(share) {
  driver_.use(0);
  const auto pin = [](const std::vector<std::unique_ptr<SharedRing>>& some,
                      std::vector<End>& ends) {
    for (const auto& ring : some) {
      End& end = ends.emplace_back();
      if (ring != nullptr) {
        end.ring = ring.get();
        end.memory = std::make_unique<PinnedMemory>(ring->memory(), sizeof(SharedRing::Layout));
      }
    }
  };
  pin(rings_.to, to_);
  pin(rings_.from, from_);
}

RingLink::~RingLink() {
  driver_.cancel();
  try {
    driver_.synchronize();  // kernels may still look at the memory
  } catch (const Error&) {
    // The driver is beyond use, and its kernels with it.
  }
}

void RingLink::connect(std::span<const DevicePair> /*pairs*/) {
  for (const auto* const ends : {&to_, &from_}) {
    for (const End& end : *ends) {
      if (end.ring != nullptr) {
        end.ring->restart();  // a run that was cancelled may have left numbers out of order
      }
    }
  }
}

void RingLink::send(StreamId stream, const float* from, const RankTransfer& transfer) {
  const End& end = to_[share_.owner(transfer.devices.to)];
  const cudaStream_t on = driver_.stream_of(stream);
  const auto* const bytes = reinterpret_cast<const char*>(from);
  if (transfer.least_seconds > 0.0) {
    driver_.hold(stream, transfer.least_seconds);
  }
  driver_.use(stream.device);
  for (std::uint64_t at = 0; at < transfer.bytes; at += SharedRing::kSlotBytes) {
    const std::uint64_t chunk = end.ring->next();
    SharedRing::Slot& slot = *end.memory->on_gpu(&end.ring->slot(chunk));
    launch_await(&slot.taken, SharedRing::use(chunk) - 1, driver_.cancelled(), on);
    check(cudaGetLastError(), "await kernel");
    check(cudaMemcpyAsync(end.ring->data(chunk),
                          bytes + at,
                          std::min<std::uint64_t>(SharedRing::kSlotBytes, transfer.bytes - at),
                          cudaMemcpyDeviceToHost,
                          on),
          "cudaMemcpyAsync to the host");
    launch_signal(&slot.full, SharedRing::use(chunk), on);
    check(cudaGetLastError(), "signal kernel");
  }
}

void RingLink::receive(StreamId stream, float* to, const RankTransfer& transfer) {
  const End& end = from_[share_.owner(transfer.devices.from)];
  const cudaStream_t on = driver_.stream_of(stream);
  auto* const bytes = reinterpret_cast<char*>(to);
  driver_.use(stream.device);
  for (std::uint64_t at = 0; at < transfer.bytes; at += SharedRing::kSlotBytes) {
    const std::uint64_t chunk = end.ring->next();
    SharedRing::Slot& slot = *end.memory->on_gpu(&end.ring->slot(chunk));
    launch_await(&slot.full, SharedRing::use(chunk), driver_.cancelled(), on);
    check(cudaGetLastError(), "await kernel");
    check(cudaMemcpyAsync(bytes + at,
                          end.ring->data(chunk),
                          std::min<std::uint64_t>(SharedRing::kSlotBytes, transfer.bytes - at),
                          cudaMemcpyHostToDevice,
                          on),
          "cudaMemcpyAsync from the host");
    launch_signal(&slot.taken, SharedRing::use(chunk), on);
    check(cudaGetLastError(), "signal kernel");
  }
}

}  // namespace berth::executors
