// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace berth::launcher {
namespace {

std::string clock_text(double seconds) {
  char text[32];
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  const auto hours = static_cast<unsigned>(whole / 3600);
  const auto minutes = static_cast<unsigned>(whole / 60 % 60);
  const auto rest = static_cast<unsigned>(whole % 60);
  if (hours > 0) {
    std::snprintf(text, sizeof text, "%u:%02u:%02u", hours, minutes, rest);
  } else {
    std::snprintf(text, sizeof text, "%u:%02u", minutes, rest);
  }
  return text;
}

std::string bar_text(std::uint64_t done, std::uint64_t total, std::size_t width) {
  const std::size_t filled = total == 0 ? 0 : static_cast<std::size_t>(done * width / total);
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
}

}  // namespace

std::string progress_text(const ProgressState& state,
                          double seconds,
                          std::uint64_t updates_before,
                          std::size_t bar_width) {
  const auto here = static_cast<double>(state.update - updates_before);
  const auto left = static_cast<double>(state.updates - state.update);
  const double rate = seconds > 0.0 ? static_cast<double>(state.rollouts) / seconds : 0.0;
  char text[256];
  std::snprintf(text,
                sizeof text,
                "update %llu/%llu %s, %.0f rollouts/s, best %s, mean %s, gap %.1f %%, ETA %s",
                static_cast<unsigned long long>(state.update),
                static_cast<unsigned long long>(state.updates),
                state.stage.c_str(),
                rate,
                state.best.c_str(),
                state.mean.c_str(),
                100.0 * state.gap,
                here > 0.0 ? clock_text(seconds / here * left).c_str() : "unknown");
  return (bar_width > 0 ? bar_text(state.update, state.updates, bar_width) : "") + text;
}

ProgressLine::ProgressLine(double interval_seconds, std::uint64_t updates_before)
    : terminal_(::isatty(STDERR_FILENO) != 0),
      interval_seconds_(interval_seconds),
      updates_before_(updates_before),
      begin_(Clock::now()),
      last_(begin_) {}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) {
    std::fputs("\n", stderr);
  }
}

bool ProgressLine::is_due(std::uint64_t update, std::uint64_t updates) const {
  const double quiet = std::chrono::duration<double>(Clock::now() - last_).count();
  return update == updates || quiet >= (terminal_ ? 0.1 : interval_seconds_);
}

void ProgressLine::show(const ProgressState& state) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string text = progress_text(state, seconds, updates_before_, terminal_ ? 20 : 0);
  std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "%s\n", text.c_str());
  last_ = now;
  shown_ = true;
}

}  // namespace berth::launcher
