// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "error_report.hpp"
#include "mpi_session.hpp"
#include "plan_message.hpp"

namespace berth::launcher {
namespace {

// A failure that every rank knows of, and which of them prints it: rank 0.
class SharedFailure final : public Error {
 public:
  SharedFailure(ExitCode code, const std::string& text) : Error(code, text) {}
};

bool under_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"}) {
    if (std::getenv(name) != nullptr) {
      return true;
    }
  }
  return false;
}

PlanMessage failure_of(const std::exception& error) {
  const ErrorReport found = report_of(error);
  PlanMessage message;
  message.code = static_cast<int>(found.code);
  message.failure = found.text;
  return message;
}

// Every rank's message; throws if one of them is a failure.
std::vector<PlanMessage> exchange(MpiSession& session, const PlanMessage& mine) {
  std::vector<PlanMessage> messages;
  for (const std::string& bytes : session.all_gather(to_bytes(mine), "plans")) {
    messages.push_back(from_bytes<PlanMessage>(bytes));
  }
  const auto bad = std::ranges::find_if(messages, [](const auto& m) { return m.code != 0; });
  if (bad != messages.end()) {
    const bool everywhere =
        std::ranges::all_of(messages, [&](const auto& m) { return m.failure == bad->failure; });
    const std::string who =
        everywhere ? "" : "rank " + std::to_string(bad - messages.begin()) + ": ";
    throw SharedFailure(static_cast<ExitCode>(bad->code), who + bad->failure);
  }
  return messages;
}

}  // namespace

PlanRanks::PlanRanks() : session_(under_mpi() ? std::make_unique<MpiSession>() : nullptr) {}
PlanRanks::~PlanRanks() = default;

int PlanRanks::rank() const noexcept {
  return session_ ? session_->rank() : 0;
}
int PlanRanks::size() const noexcept {
  return session_ ? session_->size() : 1;
}

StrategyAnswer PlanRanks::plan(StrategyPlanner& planner,
                               const StrategyProblem& problem,
                               std::uint32_t top_k) {
  if (size() == 1) {
    return planner.plan_all(problem, top_k);
  }
  const std::size_t items = planner.work_items(problem);
  const WorkShare share{
      static_cast<std::uint32_t>(rank()),
      static_cast<std::uint32_t>(std::min(items, static_cast<std::size_t>(size())))};
  PlanMessage mine;
  if (share.rank < share.count) {
    mine.answer = planner.plan(problem, top_k, share);
  }
  exchanged_ = true;
  std::vector<StrategyAnswer> answers;
  for (PlanMessage& message : exchange(*session_, mine)) {
    answers.push_back(std::move(message.answer));
  }
  return merge_answers(std::move(answers), top_k);
}

int PlanRanks::run(const std::function<int(PlanRanks&)>& action) {
  PlanRanks ranks;
  if (ranks.size() == 1) {
    return action(ranks);
  }
  const auto say = [&ranks](const Error& error) {
    if (ranks.rank() == 0) {
      std::fprintf(stderr, "berth: %s\n", error.what());
    }
    return static_cast<int>(error.code());
  };
  try {
    const int code = action(ranks);
    if (!ranks.exchanged_) {
      ranks.exchanged_ = true;
      exchange(*ranks.session_, {});
    }
    return code;
  } catch (const SharedFailure& error) {
    return say(error);
  } catch (const std::exception& error) {
    const PlanMessage mine = failure_of(error);
    if (ranks.exchanged_) {  // the others are done, or fail the same way
      return say(SharedFailure(static_cast<ExitCode>(mine.code), mine.failure));
    }
    try {
      exchange(*ranks.session_, mine);
    } catch (const SharedFailure& shared) {
      return say(shared);
    }
    return mine.code;
  }
}

}  // namespace berth::launcher
