// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "watchdog.hpp"

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

namespace berth::launcher {

Watchdog::Watchdog(double seconds, std::function<void(const std::string&)> bark)
    : bark_(std::move(bark)) {
  if (seconds > 0.0) {
    // Signals are the main thread's business: the watchdog inherits a mask that blocks all.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::jthread([this, seconds](const std::stop_token& stop) { watch(stop, seconds); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
}

Watchdog::~Watchdog() = default;

void Watchdog::alive(const char* what, std::uint64_t number) noexcept {
  what_.store(what, std::memory_order_relaxed);
  number_.store(number, std::memory_order_relaxed);
  beats_.fetch_add(1, std::memory_order_release);
}

void Watchdog::watch(const std::stop_token& stop, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable_any sleep;
  std::uint64_t seen = beats_.load(std::memory_order_acquire);
  Clock::time_point since = Clock::now();
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex);
    sleep.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; });
    const std::uint64_t beats = beats_.load(std::memory_order_acquire);
    if (beats != seen) {
      seen = beats;
      since = Clock::now();
    } else if (std::chrono::duration<double>(Clock::now() - since).count() > seconds &&
               !stop.stop_requested()) {
      char limit[32];
      std::snprintf(limit, sizeof limit, "%g", seconds);
      bark_("silent for over " + std::string(limit) + " s in " + what_.load() + " " +
            std::to_string(number_.load()) + "; see --watchdog-seconds");
      return;
    }
  }
}

}  // namespace berth::launcher
