// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/cluster_simulator.hpp"

namespace berth::internal {

/// Who ran where and when, and how full the cluster was; keeps nothing unless asked to.
class RunHistory {
 public:
  RunHistory(bool kept, std::size_t num_jobs) : kept_(kept), interval_of_(num_jobs, 0) {}

  /// A job ran from `start` to `finish`; on `same_gpus` its last stretch goes on.
  void ran(JobId job, double start, double finish, bool same_gpus, std::vector<GpuId>&& gpus);
  void round_begins(const RoundRecord& round);
  void round_ends(double now);

  /// Moves timeline, by job, and rounds into a run.
  void store(ClusterRun& run);

 private:
  bool kept_;
  std::vector<std::size_t> interval_of_;  // [num_jobs], 1 + position in the timeline
  std::vector<JobInterval> timeline_;
  std::vector<RoundRecord> rounds_;
};

}  // namespace berth::internal
