// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "measure_group.hpp"

#include <algorithm>

#include "berth/error.hpp"

#include "peer_message.hpp"

namespace berth::launcher {

MeasurePlace measure_place(int rank, int size, std::uint32_t measuring, std::uint32_t group_size) {
  const int ranks =
      static_cast<int>(std::min<std::uint32_t>(measuring, static_cast<std::uint32_t>(size)));
  const int members = static_cast<int>(std::min<std::uint32_t>(group_size, 1U << 30U));
  if (ranks % members != 0) {
    throw InputError(
        "executor_group is " + std::to_string(group_size) + ", and " + std::to_string(ranks) +
        " of " + std::to_string(size) +
        " ranks measure; expected executor_ranks, and ranks for them, a multiple of it");
  }
  MeasurePlace place;
  place.groups = place.group = static_cast<std::size_t>(ranks / members);
  const int first = size - ranks;
  if (rank >= first) {
    place.group = static_cast<std::size_t>((rank - first) / members);
    for (int member = 0; member < members; ++member) {
      place.ranks.push_back(first + static_cast<int>(place.group) * members + member);
    }
  }
  return place;
}

MeasureGroup::MeasureGroup(MpiSession& session, std::vector<int> ranks, double silence_seconds)
    : session_(session), ranks_(std::move(ranks)), silence_seconds_(silence_seconds) {
  rank_ = static_cast<std::uint32_t>(std::ranges::find(ranks_, session.rank()) - ranks_.begin());
}

std::vector<std::string> MeasureGroup::all_gather(const std::string& mine,
                                                  const char* what,
                                                  double /*busy_seconds*/) {
  if (size() == 1) {
    return {mine};
  }
  is_over_ = true;  // unless it ends well
  std::vector<std::string> texts =
      texts_of(session_.all_gather_among(ranks_, message_of(ExitCode::kOk, mine), what));
  is_over_ = false;
  return texts;
}

void MeasureGroup::tell(const std::exception& error) {
  if (size() > 1 && !is_over_) {
    is_over_ = true;
    const ErrorReport report = report_of(error);
    static_cast<void>(session_.all_gather_among(
        ranks_, message_of(report.code, report.text), "failure of a rank"));
  }
}

}  // namespace berth::launcher
