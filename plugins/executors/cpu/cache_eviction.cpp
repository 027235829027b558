// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cache_eviction.hpp"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace berth::executors {
namespace {

constexpr std::size_t kLineReals = 64 / sizeof(float);

#if defined(__x86_64__)
/// Lines one after the other: the only way of older processors.
void evict_in_turn(std::span<const float> memory) noexcept {
  for (std::size_t i = 0; i < memory.size(); i += kLineReals) {
    _mm_clflush(&memory[i]);
  }
}

__attribute__((target("clflushopt"))) void evict_at_once(std::span<const float> memory) noexcept {
  for (std::size_t i = 0; i < memory.size(); i += kLineReals) {
    _mm_clflushopt(const_cast<float*>(&memory[i]));
  }
}
#endif

}  // namespace

void evict_from_caches(std::span<const float> memory) noexcept {
#if defined(__x86_64__)
  static const bool at_once = __builtin_cpu_supports("clflushopt") != 0;
  at_once ? evict_at_once(memory) : evict_in_turn(memory);
  _mm_mfence();
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < memory.size(); i += kLineReals) {
    asm volatile("dc civac, %0" : : "r"(&memory[i]) : "memory");
  }
  asm volatile("dsb sy" : : : "memory");
#else
  static_cast<void>(memory);
#endif
}

}  // namespace berth::executors
