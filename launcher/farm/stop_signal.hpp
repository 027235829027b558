// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <signal.h>

namespace berth::launcher {

/// While it lives, SIGTERM, SIGINT and SIGUSR1 (Slurm's notice) ask for an orderly stop instead of
/// ending the process; a second SIGINT or SIGTERM ends it at once. One object in a process.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// The signal that asked, or 0.
  [[nodiscard]] int raised() const noexcept;

 private:
  struct sigaction before_[3] = {};
};

}  // namespace berth::launcher
