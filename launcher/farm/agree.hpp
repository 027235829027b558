// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "error_report.hpp"
#include "mpi_session.hpp"

namespace berth::launcher {

/// Runs what every rank does for itself and may fail on some of them alone; then all know.
/// @return the exit code of the first rank that failed, which has told why; 0 if none did.
template <class Action>
int agree(MpiSession& session, const Action& action) {
  std::string failure;
  auto code = ExitCode::kOk;
  try {
    action();
  } catch (const std::exception& error) {
    const ErrorReport found = report_of(error);
    failure = found.text;
    code = found.code;
  }
  const std::vector<std::string> codes =
      session.all_gather(std::to_string(static_cast<int>(code)), "setup");
  const auto bad = std::ranges::find_if(codes, [](const std::string& text) { return text != "0"; });
  if (bad == codes.end()) {
    return 0;
  }
  if (bad - codes.begin() == session.rank()) {
    const std::string rank =
        session.size() > 1 ? "rank " + std::to_string(session.rank()) + ": " : "";
    std::fprintf(stderr, "berth: %s%s\n", rank.c_str(), failure.c_str());
  }
  return std::atoi(bad->c_str());
}

/// Runs the whole work of a rank. What it throws ends the job: other ranks do not know, they would
/// wait for this one for ever.
/// @return what `action` returned, or the code of its exception where there are no other ranks.
template <class Action>
int end_all_on_failure(MpiSession& session, const Action& action) {
  try {
    return action();
  } catch (const std::exception& error) {
    const ErrorReport found = report_of(error);
    if (session.size() == 1) {
      std::fprintf(stderr, "berth: %s\n", found.text.c_str());
      return static_cast<int>(found.code);
    }
    std::fprintf(stderr, "berth: rank %d: %s\n", session.rank(), found.text.c_str());
    session.abort(static_cast<int>(found.code));
  }
}

}  // namespace berth::launcher
