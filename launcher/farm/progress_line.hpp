// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace berth::launcher {

/// What a progress line shows.
struct ProgressState {
  std::uint64_t update = 0;   ///< Done.
  std::uint64_t updates = 0;  ///< In all.
  std::string stage;
  std::uint64_t rollouts = 0;  ///< Since this process started.
  std::string best;            ///< With unit; mean over the problems.
  std::string mean;            ///< Of the last update's rollouts.
  double gap = 0.0;            ///< Of the best above the lower bound, a fraction.
};

/// "update 120/400 simulation, 812 rollouts/s, best 1.2 ms, mean 1.4 ms, gap 3.4 %, ETA 0:42",
/// with a bar of `bar_width` characters in front unless it is 0.
[[nodiscard]] std::string progress_text(const ProgressState& state,
                                        double seconds,
                                        std::uint64_t updates_before,
                                        std::size_t bar_width);

/// Progress of a campaign on standard error: a bar in place on a terminal, else a plain line at
/// most every `interval_seconds`, and one at the end.
class ProgressLine {
 public:
  /// @param updates_before Updates done by earlier processes of the campaign.
  ProgressLine(double interval_seconds, std::uint64_t updates_before);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  ///< Leaves the bar's line.

  /// True if show() would print now: then it is worth the words.
  [[nodiscard]] bool is_due(std::uint64_t update, std::uint64_t updates) const;
  void show(const ProgressState& state);

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  double interval_seconds_;
  std::uint64_t updates_before_;
  Clock::time_point begin_;
  Clock::time_point last_;
  bool shown_ = false;
};

}  // namespace berth::launcher
