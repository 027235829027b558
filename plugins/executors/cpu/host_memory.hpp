// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/memory_source.hpp"
#include "host_cores.hpp"

namespace berth::executors {

/// The host's memory, one pool for all devices, on cache lines; large blocks on huge pages, where
/// the host has some to give, so that address translation takes no part in the times of ops.
class HostMemory final : public MemorySource {
 public:
  float* allocate(std::uint32_t, std::uint64_t bytes) override {
    constexpr std::uint64_t kLine = 64;
    constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
    const std::uint64_t unit = bytes >= kHugePage ? kHugePage : kLine;
    const std::uint64_t size = (bytes + unit - 1) / unit * unit;
    void* const memory = std::aligned_alloc(unit, size);
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    if (unit == kHugePage) {
      static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));
    }
    return static_cast<float*>(memory);
  }
  void release(std::uint32_t, float* memory) noexcept override { std::free(memory); }
  void write(std::uint32_t, float* to, std::span<const float> values) override {
    std::ranges::copy(values, to);
  }
  void read(std::uint32_t, const float* from, std::span<float> values) override {
    std::copy_n(from, values.size(), values.data());
  }
  std::uint32_t pool_of(std::uint32_t) const override { return 0; }
  double available(std::uint32_t) override { return static_cast<double>(available_memory()); }
  bool is_cached_apart() const override { return true; }
  std::string pool_name(std::uint32_t) const override { return "the host"; }
};

}  // namespace berth::executors
