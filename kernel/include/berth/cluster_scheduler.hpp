// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/cluster_job.hpp"
#include "berth/export.hpp"
#include "berth/round_schedule.hpp"

namespace berth {
inline namespace abi_v1 {

/// What became of one assignment of the round before.
struct JobOutcome {
  JobId job{};
  GpuTypeId type{};               ///< Of its first accelerator.
  double executed_seconds = 0.0;  ///< As the simulator accounts it.
  double steps = 0.0;
  bool finished = false;
  bool failed = false;  ///< Ran, but nothing was counted.
};

/// All that a decision may depend on. Spans are valid during the call.
struct RoundContext {
  const Cluster& cluster;
  std::span<const JobState> jobs;          ///< Arrived and unfinished, by id.
  std::span<const JobOutcome> last_round;  ///< Latest finish first, then by id.
  std::span<const JobId> arrived;          ///< Jobs that became visible in this round.
  std::size_t pending_arrivals = 0;        ///< Jobs of the trace that have not arrived yet.
  std::uint64_t round = 0;
  double now_seconds = 0.0;
  double round_seconds = 360.0;
  GangModel gangs;
};

/// One named number that a scheduler reports of its run.
struct SchedulerFigure {
  std::string name;
  double value = 0.0;
};

/// An algorithm that gives the accelerators of a cluster to jobs, round by round:
/// `berth.cluster_schedule/1`. One object serves one run.
class BERTH_API ClusterScheduler {
 public:
  static constexpr std::string_view kInterface = "berth.cluster_schedule/1";

  ClusterScheduler() = default;
  ClusterScheduler(const ClusterScheduler&) = delete;
  ClusterScheduler& operator=(const ClusterScheduler&) = delete;
  virtual ~ClusterScheduler();

  /// Decides one round. Called once more with no jobs when the last ones have finished, so that
  /// every outcome is heard of. Deterministic for a given seed; ties fall by job id, then GPU id.
  [[nodiscard]] virtual RoundSchedule schedule(const RoundContext& context) = 0;

  /// Why a job runs or waits in the round decided last, in one line of text.
  [[nodiscard]] virtual std::string explain(JobId job) const;

  /// Named numbers of the run so far, for example the parts of a certificate.
  [[nodiscard]] virtual std::vector<SchedulerFigure> figures() const;

  /// A proven lower bound, in seconds, of the time from the first arrival to the last finish that
  /// any schedule of whole gangs can reach; empty where the scheduler proves none.
  [[nodiscard]] virtual std::optional<double> lower_bound_seconds(const Cluster& cluster,
                                                                  std::span<const JobSpec> jobs,
                                                                  const GangModel& gangs) const;
};

/// Checks an answer: jobs known and named once, whole gangs, no accelerator twice, a rate > 0 for
/// whatever runs. @throws PluginError naming the job, what was found and what was expected.
BERTH_API void check_round(const RoundContext& context, const RoundSchedule& schedule);

}  // namespace abi_v1
}  // namespace berth
