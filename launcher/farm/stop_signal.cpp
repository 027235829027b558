// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stop_signal.hpp"

namespace berth::launcher {
namespace {

constexpr int kSignals[StopSignal::kCount] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP};

volatile sig_atomic_t raised_signal = 0;

extern "C" void note_signal(int signal) {
  // A terminal that closes sends SIGHUP twice: by its shell, and by the kernel as that ends.
  if (raised_signal != 0 && signal != SIGUSR1 && signal != SIGHUP) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  raised_signal = signal;
}

}  // namespace

StopSignal::StopSignal(Heeds heeds) : heeds_(heeds) {
  if (heeds_ == Heeds::kNone) {
    return;
  }
  raised_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < kCount; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (kSignals[i] != SIGHUP || before_[i].sa_handler != SIG_IGN) {  // ignored under nohup
      sigaction(kSignals[i], &action, nullptr);
    }
  }
}

StopSignal::~StopSignal() {
  if (heeds_ == Heeds::kNone) {
    return;
  }
  for (int i = 0; i < kCount; ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

int StopSignal::raised() const noexcept {
  return heeds_ == Heeds::kNone ? 0 : raised_signal;
}

}  // namespace berth::launcher
