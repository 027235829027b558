// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/cluster_job.hpp"
#include "berth/cluster_scheduler.hpp"
#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// When a round ends and the scheduler decides again.
enum class RoundEnd : std::uint8_t {
  kFixed,         ///< After round_seconds.
  kLatestFinish,  ///< When the last job of the round has made its steps (Gavel).
  kBackfill,      ///< Fixed rounds, cut short by every finish.
  kEvent,         ///< At every finish and arrival, and after round_seconds at the latest.
};

/// From when on a round's jobs count as executing.
enum class ExecuteFrom : std::uint8_t { kRoundStart, kPreviousRoundEnd };

/// From when on accelerators count as usable.
enum class UtilisationFrom : std::uint8_t { kFirstArrival, kTimeZero };

/// The clock and its quirks; each differs between Berth's default and Gavel's simulator.
/// Source of the quirks: the simulator that Gavel (OSDI 2020) was published with.
struct ClusterSimulationOptions {
  double round_seconds = 360.0;
  RoundEnd round_end = RoundEnd::kFixed;
  ExecuteFrom execute_from = ExecuteFrom::kRoundStart;
  UtilisationFrom utilisation_from = UtilisationFrom::kFirstArrival;
  /// Whole steps per round only; kBackfill and kEvent never truncate.
  bool truncate_steps = true;
  /// A round in which a worker would make fewer steps fails, and the fifth failure in a row drops
  /// the job; 0: no such rule.
  std::uint32_t min_steps_per_worker = 0;
  /// The clock jumps to the next arrival whenever nothing ran, even while jobs wait.
  bool idle_jumps_to_arrival = false;
  GangModel gangs;
  bool record_timeline = false;

  /// The settings that equal Gavel's simulator: no restart cost, no spread, its clock.
  [[nodiscard]] BERTH_API static ClusterSimulationOptions gavel();
};

/// What happened to one job. Times are seconds on the trace's clock.
struct JobRecord {
  double arrival_seconds = 0.0;
  double first_start_seconds = -1.0;
  double finish_seconds = -1.0;  ///< < 0: dropped.
  double executed_seconds = 0.0;
  double mean_jobs_present = 0.0;  ///< Time average over its stay, itself included.
  std::uint32_t restarts = 0;
  std::uint32_t mixed_rounds = 0;  ///< Rounds on more than one accelerator type.
  std::uint32_t rounds = 0;

  [[nodiscard]] bool finished() const noexcept { return finish_seconds >= 0.0; }
  [[nodiscard]] double completion_seconds() const noexcept {
    return finish_seconds - arrival_seconds;
  }
};

/// One stretch of a job on unchanged accelerators.
struct JobInterval {
  JobId job{};
  double start_seconds = 0.0;
  double finish_seconds = 0.0;
  std::vector<GpuId> gpus;
};

/// The state of the cluster in one round.
struct RoundRecord {
  double start_seconds = 0.0;
  double end_seconds = 0.0;
  std::uint32_t active_jobs = 0;
  std::uint32_t running_jobs = 0;
  std::uint32_t busy_gpus = 0;
};

/// A whole run.
struct ClusterRun {
  std::vector<JobRecord> jobs;        ///< [num_jobs], by id.
  std::vector<double> busy_seconds;   ///< [num_gpus]; restart time counts as busy.
  std::vector<JobInterval> timeline;  ///< By job and start; empty unless recorded.
  std::vector<RoundRecord> rounds;    ///< Rounds in which something ran; empty unless recorded.
  std::uint64_t num_rounds = 0;       ///< Rounds in which something ran.
  double first_arrival_seconds = 0.0;
  double end_seconds = 0.0;            ///< Last finish.
  double utilisation = 0.0;            ///< Mean over accelerators of busy / (end - start of count).
  double scheduler_seconds = 0.0;      ///< Wall time spent in the scheduler.
  double scheduler_seconds_max = 0.0;  ///< In its slowest round.
  std::uint64_t decisions = 0;         ///< Calls of the scheduler.
};

/// Called after each decision; for progress and explanations.
using RoundObserver = std::function<void(const RoundContext&, const RoundSchedule&)>;

/// Plays a trace under a scheduler until every job has left.
/// @throws InputError as check_jobs(); PluginError if the scheduler breaks its contract; RunError
/// if 10,000 rounds in a row make no step while no arrival is pending (names a waiting job).
[[nodiscard]] BERTH_API ClusterRun simulate_cluster(const Cluster& cluster,
                                                    std::span<const JobSpec> jobs,
                                                    ClusterScheduler& scheduler,
                                                    const ClusterSimulationOptions& options,
                                                    const RoundObserver& observer = {});

}  // namespace abi_v1
}  // namespace berth
