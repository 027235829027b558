// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace berth::launcher {

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      last_(begin_) {}

Progress::~Progress() {
  if (shown_ && terminal_) {
    std::fputs("\r\033[K", stderr);
  }
}

void Progress::next(std::string_view detail) {
  const auto now = Clock::now();
  const auto quiet = std::chrono::duration<double>(now - last_).count();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const std::size_t done = started_++;
  if (elapsed < 2.0 || quiet < (terminal_ ? 0.2 : 10.0)) {
    return;
  }
  last_ = now;
  shown_ = true;
  const double left =
      done == 0 ? 0.0 : elapsed / static_cast<double>(done) * static_cast<double>(total_ - done);
  std::fprintf(stderr,
               "%s%s %zu/%zu, %.0f s, about %.0f s left: %.*s%s",
               terminal_ ? "\r" : "",
               what_.c_str(),
               done,
               total_,
               elapsed,
               left,
               static_cast<int>(detail.size()),
               detail.data(),
               terminal_ ? "\033[K" : "\n");
}

}  // namespace berth::launcher
