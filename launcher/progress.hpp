// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace berth::launcher {

/// Whether a line of progress is due: the first after two seconds of work, then after `between`
/// seconds each.
/// @param elapsed seconds of work; `quiet` seconds since the last line.
[[nodiscard]] bool is_progress_due(double elapsed, double quiet, bool is_first, double between);

/// One line of progress, "compare 2/8, 5 s, about 15 s left: g.json, heft"; a single piece of work
/// is not counted.
/// @param done of `total`; `elapsed` seconds of work.
[[nodiscard]] std::string progress_text(std::string_view what,
                                        std::size_t done,
                                        std::size_t total,
                                        double elapsed,
                                        std::string_view detail);

/// Progress of a loop on standard error, for anything that takes over two seconds: one line that
/// is rewritten on a terminal, a plain line every five seconds elsewhere. A thread of its own tells
/// it, so that a long item does not silence it.
class Progress {
 public:
  enum class Shown : std::uint8_t { kNo, kYes };  ///< kNo: on ranks that do not report.

  Progress(std::string what, std::size_t total, Shown shown = Shown::kYes);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  ///< Clears the line.

  /// One more of `total` is about to start.
  void next(std::string_view detail);

 private:
  using Clock = std::chrono::steady_clock;

  /// Writes a line if one is due. @pre guard_ is held
  void tell();
  void watch(const std::stop_token& stop);

  std::string what_;
  std::size_t total_;
  std::size_t started_ = 0;
  std::string detail_;
  bool terminal_;
  bool told_ = false;
  Clock::time_point begin_;
  Clock::time_point last_;
  std::mutex guard_;
  std::condition_variable_any wake_;
  std::jthread watcher_;  ///< Last: it reads the rest.
};

}  // namespace berth::launcher
