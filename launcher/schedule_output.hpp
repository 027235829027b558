// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster_metrics.hpp"
#include "berth/cluster_scheduler.hpp"
#include "berth/cluster_simulator.hpp"

namespace berth::launcher {

/// What all schedulers of a comparison share.
struct ScheduleSetting {
  std::string trace;
  const Cluster& cluster;
  std::span<const JobSpec> jobs;
  const ClusterSimulationOptions& options;
  std::uint64_t seed = 0;
  std::optional<double> bound_seconds;  ///< Of TTD.
  bool forked = false;                  ///< Copies of jobs on nodes of one accelerator.
  std::string throughputs;              ///< Where rates come from; empty: the trace states them.

  /// What the bound holds for.
  [[nodiscard]] const char* bound_of() const noexcept {
    return forked ? "forked jobs, divisible over nodes" : "whole gangs";
  }
};

/// One scheduler on that setting.
struct ScheduleResult {
  std::string scheduler;
  ClusterRun run;
  ClusterMetrics metrics;
  std::vector<SchedulerFigure> figures;
  std::vector<std::string> story;  ///< Of the job that was asked about.
};

/// Collects why one job ran or waited: a line whenever its state changes.
class JobStory {
 public:
  explicit JobStory(std::optional<JobId> job) : job_(job) {}
  void note(const RoundContext& context,
            const RoundSchedule& round,
            const ClusterScheduler& scheduler);
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  std::optional<JobId> job_;
  std::string state_;
  std::vector<std::string> lines_;
};

/// A table for people, or one JSON document a line and scheduler.
void print_schedule(const ScheduleSetting& setting,
                    std::span<const ScheduleResult> results,
                    bool json);

/// job_id,name,gang,arrival_s,first_start_s,finish_s,jct_s,executed_s,restarts,ftf. Atomic.
/// @throws RunError if the file cannot be written.
void write_job_csv(const ScheduleSetting& setting,
                   const ScheduleResult& result,
                   const std::string& file);

}  // namespace berth::launcher
