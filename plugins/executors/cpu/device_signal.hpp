// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "worker_pool.hpp"

namespace berth::executors {

/// Tells the threads of one device that something changed. A waiter spins first and sleeps only
/// when that was in vain, so that a wake-up costs nothing as long as there is work.
class alignas(64) DeviceSignal {
 public:
  using Clock = std::chrono::steady_clock;

  /// To be read before looking for work.
  [[nodiscard]] std::uint32_t seen() const noexcept { return changes_.load(); }

  void notify() {
    changes_.fetch_add(1);
    if (sleepers_.load() > 0) {
      const std::lock_guard held(lock_);
      changed_.notify_all();
    }
  }

  /// Returns when something changed since `seen`, or at `until`, whichever is first.
  void wait(std::uint32_t seen, Clock::time_point until, std::chrono::microseconds spin) {
    const auto begin = Clock::now();
    for (auto now = begin; now < until; now = Clock::now()) {
      if (changes_.load() != seen) {
        return;
      }
      // A sleeper wakes some 100 us late: towards `until` the rest is spun.
      const bool near = until - now < 2 * kWakeUp && spin.count() > 0;
      if (now - begin < spin || near) {
        relax();
        continue;
      }
      std::unique_lock held(lock_);
      sleepers_.fetch_add(1);
      const auto wakes = [&] { return changes_.load() != seen; };
      if (until == Clock::time_point::max()) {
        changed_.wait(held, wakes);
      } else {
        changed_.wait_until(held, spin.count() > 0 ? until - kWakeUp : until, wakes);
      }
      sleepers_.fetch_sub(1);
    }
  }

 private:
  static constexpr std::chrono::microseconds kWakeUp{100};

  std::atomic<std::uint32_t> changes_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex lock_;
  std::condition_variable changed_;
};

}  // namespace berth::executors
