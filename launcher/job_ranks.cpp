// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "job_ranks.hpp"

#include <cstdio>
#include <cstdlib>

#include "error_report.hpp"
#include "farm/watchdog.hpp"
#include "mpi_session.hpp"
#include "peer_message.hpp"

namespace berth::launcher {
namespace {

bool under_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"}) {
    if (std::getenv(name) != nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace

JobRanks::JobRanks() : session_(under_mpi() ? std::make_unique<MpiSession>() : nullptr) {}
JobRanks::~JobRanks() = default;

std::uint32_t JobRanks::rank() const noexcept {
  return session_ ? static_cast<std::uint32_t>(session_->rank()) : 0;
}
std::uint32_t JobRanks::size() const noexcept {
  return session_ ? static_cast<std::uint32_t>(session_->size()) : 1;
}
std::uint32_t JobRanks::node_rank() const noexcept {
  return session_ ? session_->node_rank() : 0;
}

std::vector<std::string> JobRanks::all_gather(const std::string& mine,
                                              const char* what,
                                              double busy_seconds) {
  return size() == 1 ? std::vector<std::string>{mine}
                     : exchange(message_of(ExitCode::kOk, mine), what, busy_seconds);
}

std::vector<std::string> JobRanks::exchange(const std::string& message,
                                            const char* what,
                                            double busy_seconds) {
  std::vector<std::string> messages;
  ++exchanges_;
  const auto alive = [this, what] {
    if (watchdog_ != nullptr) {
      watchdog_->alive(what, exchanges_);
    }
  };
  alive();
  try {
    session_->set_patience(silence_seconds_, busy_seconds, alive);
    messages = session_->all_gather(message, what);
    alive();
  } catch (const Error& error) {
    loss_ = report_of(error);
    throw;
  }
  failure_ = failure_of(messages);
  return texts_of(messages);
}

void JobRanks::watch(double seconds, double work_seconds) {
  silence_seconds_ = seconds;
  if (size() > 1 && seconds > 0.0) {
    watchdog_ = std::make_unique<Watchdog>(seconds + work_seconds, [this](const std::string& why) {
      std::fprintf(stderr, "berth: rank %u: %s\n", rank(), why.c_str());
      std::_Exit(static_cast<int>(ExitCode::kRunFailed));
    });
  }
}

int JobRanks::run(const std::function<int(JobRanks&)>& action) {
  JobRanks ranks;
  if (ranks.size() == 1) {
    return action(ranks);
  }
  ErrorReport mine;
  try {
    const int code = action(ranks);
    static_cast<void>(ranks.all_gather({}, "end of the command", 0.0));
    return code;
  } catch (const std::exception& error) {
    mine = ranks.loss_.value_or(report_of(error));  // without the names of those it went through
  }
  try {
    if (!ranks.failure_ && !ranks.loss_) {
      static_cast<void>(
          ranks.exchange(message_of(mine.code, mine.text), "end of the command", 0.0));
    }
  } catch (const Error&) {
    // It is the failure that all have now, or others are gone; then what failed here is said.
  }
  if (ranks.failure_) {
    if (ranks.rank() == 0) {
      std::fprintf(stderr, "berth: %s\n", ranks.failure_->text.c_str());
    }
    return static_cast<int>(ranks.failure_->code);
  }
  std::fprintf(stderr, "berth: rank %u: %s\n", ranks.rank(), mine.text.c_str());
  ranks.session_->abort(static_cast<int>(mine.code));
}

}  // namespace berth::launcher
