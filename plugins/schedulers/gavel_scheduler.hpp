// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/mersenne_stream.hpp"

#include "gavel_policy.hpp"
#include "pure_gangs.hpp"

namespace berth::schedulers {

/// The round mechanism of Gavel and its quirks
/// (OSDI 2020 and its simulator). The defaults are Berth's; gavel() are the original's.
struct GavelOptions {
  double reset_interval_seconds = 0.0;   ///< At least this long between two solutions.
  bool reset_when_drained = false;       ///< Solve at once when nothing ran and nobody will arrive.
  double initial_job_time_share = 0.0;   ///< Of a round, credited to new jobs.
  bool worker_time_per_gpu = true;       ///< A gang's time counts once per accelerator.
  bool hold_without_allocation = false;  ///< A job chosen before it was solved for blocks its GPUs.
  bool work_conserving = true;           ///< Jobs without a share fill what is left.
  bool shuffle_types = false;            ///< Visit types in a random order every round.
  bool sticky_previous_round_only = true;  ///< A job that paused loses its accelerators.

  [[nodiscard]] static GavelOptions gavel();
};

/// Turns the shares of a policy into rounds: priority = share / share received
/// so far.
class GavelScheduler final : public ClusterScheduler {
 public:
  /// @param seed Of the order of types; the stream is Gavel's (seed + 5).
  GavelScheduler(std::unique_ptr<GavelPolicy> policy,
                 const GavelOptions& options,
                 std::uint32_t seed);

  [[nodiscard]] RoundSchedule schedule(const RoundContext& context) override;
  [[nodiscard]] std::string explain(JobId job) const override;
  [[nodiscard]] std::optional<double> lower_bound_seconds(const Cluster& cluster,
                                                          std::span<const JobSpec> jobs,
                                                          const GangModel& gangs) const override;

 private:
  struct Account {
    std::uint32_t gang = 1;
    bool known = false;            // admitted
    bool has_share = false;        // part of the last solution
    std::vector<double> job_time;  // [num_types]
    std::vector<double> deficit;
    std::vector<double> share;
    std::vector<double> priority;
    bool chosen = false;
  };

  void account_last_round(const RoundContext& context);
  void solve_if_due(const RoundContext& context);
  void set_priorities(const RoundContext& context);
  [[nodiscard]] std::vector<PureGang> choose(const RoundContext& context);
  [[nodiscard]] Account& account(JobId job) { return accounts_[index(job)]; }

  std::unique_ptr<GavelPolicy> policy_;
  GavelOptions options_;
  MersenneStream type_stream_;
  std::vector<Account> accounts_;    // [largest job id seen + 1]
  std::vector<double> worker_time_;  // [num_types]
  double last_reset_ = 0.0;
  bool stale_ = true;
};

}  // namespace berth::schedulers
