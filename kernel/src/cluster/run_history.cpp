// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "run_history.hpp"

#include <algorithm>
#include <utility>

namespace berth::internal {

void RunHistory::ran(
    JobId job, double start, double finish, bool same_gpus, std::vector<GpuId>&& gpus) {
  if (!kept_) {
    return;
  }
  std::size_t& at = interval_of_[index(job)];
  if (same_gpus && at > 0) {
    timeline_[at - 1].finish_seconds = finish;
    return;
  }
  timeline_.push_back({job, start, finish, std::move(gpus)});
  at = timeline_.size();
}

void RunHistory::round_begins(const RoundRecord& round) {
  if (kept_) {
    rounds_.push_back(round);
  }
}

void RunHistory::round_ends(double now) {
  if (kept_) {
    rounds_.back().end_seconds = now;
  }
}

void RunHistory::store(ClusterRun& run) {
  std::stable_sort(
      timeline_.begin(), timeline_.end(), [](const JobInterval& a, const JobInterval& b) {
        return index(a.job) < index(b.job);
      });
  run.timeline = std::move(timeline_);
  run.rounds = std::move(rounds_);
}

}  // namespace berth::internal
