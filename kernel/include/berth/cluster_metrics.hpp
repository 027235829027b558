// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "berth/cluster_simulator.hpp"
#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// The figures by which schedules are compared. Seconds.
struct ClusterMetrics {
  std::size_t finished_jobs = 0;
  double mean_jct = 0.0;  ///< Job completion time: the job's own finish - its arrival.
  double median_jct = 0.0;
  double p99_jct = 0.0;
  double max_jct = 0.0;
  double ttd = 0.0;       ///< Total time duration: last finish - first arrival.
  double gru = 0.0;       ///< Busy GPU-seconds / (GPUs x TTD); restarts count as busy.
  double mean_ftf = 0.0;  ///< Finish-time fairness, see finish_time_fairness().
  double worst_ftf = 0.0;
  double mean_queueing = 0.0;  ///< First start - arrival.
  double restarts = 0.0;       ///< Resumes and moves of all jobs together.
  double mixed_share = 0.0;    ///< Share of gang rounds that used several types.
};

/// JCT / time the job would take alone on its 1/N share of every type, N = the mean number of jobs
/// present during its stay: share of wall time min(1, C_r / N / W) per type, scaled to sum <= 1.
[[nodiscard]] BERTH_API double finish_time_fairness(const Cluster& cluster,
                                                    const JobSpec& job,
                                                    const JobRecord& record);

/// Metrics over finished jobs. Percentiles interpolate linearly between order statistics.
[[nodiscard]] BERTH_API ClusterMetrics measure(const Cluster& cluster,
                                               std::span<const JobSpec> jobs,
                                               const ClusterRun& run);

}  // namespace abi_v1
}  // namespace berth
