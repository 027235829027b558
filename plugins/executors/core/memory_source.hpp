// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace berth::executors {

/// Where the memory of devices comes from. Several devices may share one pool.
class MemorySource {
 public:
  MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;
  virtual ~MemorySource() = default;

  /// Aligned to 64 bytes at least. @throws std::bad_alloc
  [[nodiscard]] virtual float* allocate(std::uint32_t device, std::uint64_t bytes) = 0;
  virtual void release(std::uint32_t device, float* memory) noexcept = 0;
  virtual void write(std::uint32_t device, float* to, std::span<const float> values) = 0;
  virtual void read(std::uint32_t device, const float* from, std::span<float> values) = 0;

  [[nodiscard]] virtual std::uint32_t pool_of(std::uint32_t device) const = 0;
  /// Bytes that a pool still gives; 0 if unknown.
  [[nodiscard]] virtual double available(std::uint32_t pool) = 0;
  /// Whether devices share memory through caches of their own.
  [[nodiscard]] virtual bool is_cached_apart() const { return false; }
  /// "the host", "GPU 0"
  [[nodiscard]] virtual std::string pool_name(std::uint32_t pool) const = 0;
};

}  // namespace berth::executors
