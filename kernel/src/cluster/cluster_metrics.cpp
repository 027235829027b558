// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth {
inline namespace abi_v1 {
namespace {

double mean(std::span<const double> values) {
  return values.empty() ? 0.0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

// @pre sorted
double percentile(std::span<const double> values, double share) {
  if (values.empty()) {
    return 0.0;
  }
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

double finish_time_fairness(const Cluster& cluster, const JobSpec& job, const JobRecord& record) {
  const double present = std::max(1.0, record.mean_jobs_present);
  double share_sum = 0.0;
  double rate = 0.0;
  for (std::size_t t = 0; t < cluster.num_types(); ++t) {
    const double share = cluster.capacity(to_id<GpuTypeId>(t)) / present / job.gang;
    share_sum += share;
    rate += share * job.rates[t];
  }
  rate /= std::max(1.0, share_sum);
  return record.completion_seconds() * rate / job.total_steps;
}

ClusterMetrics measure(const Cluster& cluster,
                       std::span<const JobSpec> jobs,
                       const ClusterRun& run) {
  ClusterMetrics metrics;
  std::vector<double> completion;
  std::vector<double> fairness;
  std::vector<double> queueing;
  double mixed = 0.0;
  double rounds = 0.0;
  for (std::size_t id = 0; id < jobs.size(); ++id) {
    const JobRecord& record = run.jobs[id];
    metrics.restarts += record.restarts;
    mixed += record.mixed_rounds;
    rounds += record.rounds;
    if (record.finished()) {
      completion.push_back(record.completion_seconds());
      fairness.push_back(finish_time_fairness(cluster, jobs[id], record));
      queueing.push_back(record.first_start_seconds - record.arrival_seconds);
    }
  }
  metrics.finished_jobs = completion.size();
  metrics.mean_jct = mean(completion);
  metrics.mean_ftf = mean(fairness);
  metrics.mean_queueing = mean(queueing);
  std::sort(completion.begin(), completion.end());
  metrics.median_jct = percentile(completion, 0.5);
  metrics.p99_jct = percentile(completion, 0.99);
  metrics.max_jct = completion.empty() ? 0.0 : completion.back();
  metrics.worst_ftf = fairness.empty() ? 0.0 : *std::max_element(fairness.begin(), fairness.end());
  metrics.ttd = run.end_seconds - run.first_arrival_seconds;
  metrics.gru = run.utilisation;
  metrics.mixed_share = rounds > 0.0 ? mixed / rounds : 0.0;
  return metrics;
}

}  // namespace abi_v1
}  // namespace berth
