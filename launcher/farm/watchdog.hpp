// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace berth::launcher {

/// Ends the process when its own work makes no progress, for example a policy in an endless loop.
/// (Ranks that wait for each other watch each other: see MpiSession.)
class Watchdog {
 public:
  /// @param seconds Longest time between two alive() calls; 0: no watchdog.
  /// @param bark Called once on another thread with the message; must not return to work.
  Watchdog(double seconds, std::function<void(const std::string&)> bark);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// The process works on `what` (text that lives for ever) number `number` from now on.
  void alive(const char* what, std::uint64_t number) noexcept;

  /// No more watching: what follows may take as long as it takes.
  void rest() noexcept { thread_.request_stop(); }

 private:
  void watch(const std::stop_token& stop, double seconds);

  std::function<void(const std::string&)> bark_;
  std::atomic<std::uint64_t> beats_ = 0;
  std::atomic<const char*> what_ = "start";
  std::atomic<std::uint64_t> number_ = 0;
  std::jthread thread_;
};

}  // namespace berth::launcher
