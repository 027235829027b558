// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "work_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace berth::executors {
namespace {

/// The compiler must believe that `value` is used.
void keep(double value) noexcept {
  asm volatile("" : : "x"(value) : "memory");
}

}  // namespace

WorkKernel::WorkKernel() {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kRounds = 20000;
  const std::atomic<bool> never{false};
  double best = 1.0;
  const auto begin = Clock::now();
  do {  // the fastest of many: whatever else the core does only slows it down
    const auto start = Clock::now();
    run(kRounds, never);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  } while (Clock::now() - begin < std::chrono::milliseconds(20));
  rounds_per_second_ = static_cast<double>(kRounds) / best;
}

std::uint64_t WorkKernel::rounds_for(double seconds) const noexcept {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds) * rounds_per_second_));
}

void WorkKernel::run(std::uint64_t rounds, const std::atomic<bool>& cancelled) noexcept {
  constexpr std::uint64_t kChunk = 1U << 20U;
  double a = 1.0;
  double b = 0.5;
  while (rounds > 0 && !cancelled.load(std::memory_order_relaxed)) {
    const std::uint64_t chunk = std::min(rounds, kChunk);
    for (std::uint64_t i = 0; i < chunk; ++i) {
      a = a * 0.999999 + 1e-6;
      b = b * 1.000001 - 1e-6;
    }
    keep(a + b);
    rounds -= chunk;
  }
}

}  // namespace berth::executors
