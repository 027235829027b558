// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace berth::launcher {
namespace {

constexpr double kQuietAtFirst = 2.0;
constexpr double kBetweenLines = 5.0;     ///< Where lines stay.
constexpr double kBetweenRewrites = 0.2;  ///< On a terminal.

}  // namespace

bool is_progress_due(double elapsed, double quiet, bool is_first, double between) {
  return elapsed >= kQuietAtFirst && (is_first || quiet >= between);
}

std::string progress_text(std::string_view what,
                          std::size_t done,
                          std::size_t total,
                          double elapsed,
                          std::string_view detail) {
  std::string text(what);
  if (total > 1) {
    text += " " + std::to_string(done) + "/" + std::to_string(total);
  }
  char seconds[48];
  std::snprintf(seconds, sizeof seconds, ", %.0f s", elapsed);
  text += seconds;
  if (done > 0 && done < total) {
    std::snprintf(seconds,
                  sizeof seconds,
                  ", about %.0f s left",
                  elapsed / static_cast<double>(done) * static_cast<double>(total - done));
    text += seconds;
  }
  return text + (detail.empty() ? "" : ": ") + std::string(detail);
}

Progress::Progress(std::string what, std::size_t total, Shown shown)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      last_(begin_) {
  if (shown == Shown::kYes) {
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }
}

Progress::~Progress() {
  if (watcher_.joinable()) {
    watcher_.request_stop();
    watcher_.join();
  }
  if (told_ && terminal_) {
    std::fputs("\r\033[K", stderr);
  }
}

void Progress::next(std::string_view detail) {
  const std::lock_guard lock(guard_);
  ++started_;
  detail_ = detail;
  if (watcher_.joinable()) {
    tell();
  }
}

void Progress::watch(const std::stop_token& stop) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are for the thread that works
  std::unique_lock lock(guard_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; });
    if (!stop.stop_requested()) {
      tell();
    }
  }
}

void Progress::tell() {
  const auto now = Clock::now();
  const double quiet = std::chrono::duration<double>(now - last_).count();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  if (!is_progress_due(elapsed, quiet, !told_, terminal_ ? kBetweenRewrites : kBetweenLines)) {
    return;
  }
  last_ = now;
  told_ = true;
  const std::string text =
      progress_text(what_, started_ == 0 ? 0 : started_ - 1, total_, elapsed, detail_);
  std::fprintf(stderr, "%s%s%s", terminal_ ? "\r" : "", text.c_str(), terminal_ ? "\033[K" : "\n");
}

}  // namespace berth::launcher
