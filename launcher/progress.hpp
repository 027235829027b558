// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace berth::launcher {

/// Progress of a loop on standard error, for anything that takes over two seconds: one line that
/// is rewritten on a terminal, a plain line every ten seconds elsewhere.
class Progress {
 public:
  Progress(std::string what, std::size_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  ///< Clears the line.

  /// One more of `total` is about to start.
  void next(std::string_view detail);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  std::size_t total_;
  std::size_t started_ = 0;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_;
  Clock::time_point last_;
};

}  // namespace berth::launcher
