// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "interruption.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace berth::launcher {
namespace {

/// What the handler writes: a handler may not format.
struct Farewell {
  int signal;
  std::string_view text;
};
constexpr Farewell kFarewells[] = {
    {SIGHUP, "berth: interrupted by signal 1 (SIGHUP); what was not yet written is lost\n"},
    {SIGTERM, "berth: interrupted by signal 15 (SIGTERM); what was not yet written is lost\n"},
    {SIGINT, "berth: interrupted by signal 2 (SIGINT); what was not yet written is lost\n"}};

/// Written before: takes a line of progress off a terminal.
volatile sig_atomic_t standard_error_is_terminal = 0;

/// Of the ranks of a job, which are signalled together, the first one tells.
volatile sig_atomic_t is_told_by_another = 0;

bool is_later_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) {
      return std::string_view(rank) != "0";
    }
  }
  return false;
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

extern "C" void end_process(int signal) {
  if (standard_error_is_terminal != 0) {
    write_all("\r\033[K");
  }
  for (const Farewell& farewell : kFarewells) {
    if (farewell.signal == signal && is_told_by_another == 0) {
      write_all(farewell.text);
    }
  }
  ::_exit(128 + signal);
}

}  // namespace

void end_on_interruption() {
  standard_error_is_terminal = ::isatty(STDERR_FILENO);
  is_told_by_another = is_later_rank() ? 1 : 0;
  for (const Farewell& farewell : kFarewells) {
    struct sigaction before = {};
    ::sigaction(farewell.signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) {
      continue;
    }
    struct sigaction action = {};
    action.sa_handler = end_process;
    sigfillset(&action.sa_mask);
    ::sigaction(farewell.signal, &action, nullptr);
  }
}

}  // namespace berth::launcher
