// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace berth::executors {

/// A device's memory on the host: one stretch that grows, on a cache line.
class Arena {
 public:
  /// Makes room for `bytes`; what was there is lost if it had to grow.
  /// @throws std::bad_alloc
  void reserve(std::uint64_t bytes) {
    if (bytes > size_) {
      data_.reset();
      size_ = 0;
      data_.reset(
          static_cast<std::byte*>(std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine)));
      if (data_ == nullptr) {
        throw std::bad_alloc();
      }
      size_ = bytes;
    }
  }
  [[nodiscard]] float* reals(std::uint64_t byte_offset = 0) const noexcept {
    return reinterpret_cast<float*>(data_.get() + byte_offset);
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  static constexpr std::uint64_t kLine = 64;
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::uint64_t size_ = 0;
};

}  // namespace berth::executors
