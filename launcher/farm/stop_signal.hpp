// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <signal.h>

#include <cstdint>

namespace berth::launcher {

/// Exit code of a run that a signal has stopped after a checkpoint.
inline constexpr int kStoppedBySignal = 75;

/// While it lives, SIGTERM, SIGINT, SIGHUP (a terminal that is gone; not under nohup) and SIGUSR1
/// (Slurm's notice) ask for an orderly stop instead of ending the process; a SIGINT or
/// SIGTERM after another signal ends it at once. One object in a process that heeds any.
class StopSignal {
 public:
  static constexpr int kCount = 4;
  enum class Heeds : std::uint8_t { kAll, kNone };  ///< kNone: where there is nothing to save.

  explicit StopSignal(Heeds heeds = Heeds::kAll);
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// The signal that asked, or 0.
  [[nodiscard]] int raised() const noexcept;

 private:
  Heeds heeds_;
  struct sigaction before_[kCount] = {};
};

}  // namespace berth::launcher
