// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>

#include "memory_source.hpp"

namespace berth::executors {

/// A stretch of a device's memory that grows.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Arena() { drop(); }

  /// Makes room for `bytes`; what was there is lost if it had to grow.
  /// @throws std::bad_alloc
  void reserve(MemorySource& source, std::uint32_t device, std::uint64_t bytes) {
    if (bytes > size_) {
      drop();
      memory_ = source.allocate(device, bytes);
      source_ = &source;
      device_ = device;
      size_ = bytes;
    }
  }
  [[nodiscard]] float* reals(std::uint64_t byte_offset = 0) const noexcept {
    return memory_ + byte_offset / sizeof(float);
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  void drop() noexcept {
    if (memory_ != nullptr) {
      source_->release(device_, memory_);
      memory_ = nullptr;
      size_ = 0;
    }
  }
  void swap(Arena& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
  }

  MemorySource* source_ = nullptr;
  std::uint32_t device_ = 0;
  float* memory_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace berth::executors
