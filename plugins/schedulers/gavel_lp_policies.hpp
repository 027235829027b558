// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include "gavel_policy.hpp"
#include "share_program.hpp"

namespace berth::schedulers {

/// The largest of: the makespan LP over jobs that are all there at the first
/// arrival, and, with arrivals, the time from the first arrival until each job
/// could finish alone. Valid for every schedule of whole gangs, mixed ones
/// included: a mixed gang is dominated by pure gangs that share its time.
[[nodiscard]] double total_duration_bound(const Cluster& cluster,
                                          std::span<const JobSpec> jobs,
                                          const GangModel& gangs);

/// Whether a policy sees that types differ. An agnostic one takes the mean rate
/// over the types that can run the job for all of them; in Gavel it takes the
/// V100's even where a job does not fit, which sends jobs to types that cannot
/// run them.
enum class Awareness : std::uint8_t { kTypes, kAgnostic };

/// Least attained share, weighted: max min_m gang_m thr(m, X) / (w_m thr(m,
/// Xprop)), Xprop_j = cap_j / sum cap. Solved over classes of equal jobs.
/// Agnostic: every rate is 1.
class MaxMinFairnessPolicy final : public GavelPolicy {
 public:
  explicit MaxMinFairnessPolicy(Awareness awareness) : awareness_(awareness) {}
  [[nodiscard]] Allocation solve(const RoundContext& context) override;

  /// The optimum of the last solution.
  [[nodiscard]] double objective() const noexcept { return objective_; }

 private:
  Awareness awareness_;
  double objective_ = 0.0;
};

/// Least total duration: max z with thr(m, X) >= z remaining_m; T = 1 / z.
class MinTotalDurationPolicy final : public GavelPolicy {
 public:
  explicit MinTotalDurationPolicy(Awareness awareness) : awareness_(awareness) {}
  [[nodiscard]] Allocation solve(const RoundContext& context) override;

  [[nodiscard]] std::optional<double> duration_bound(const Cluster& cluster,
                                                     std::span<const JobSpec> jobs,
                                                     const GangModel& gangs) const override {
    return total_duration_bound(cluster, jobs, gangs);
  }

  /// T of the last solution, seconds.
  [[nodiscard]] double duration_seconds() const noexcept { return duration_; }

 private:
  Awareness awareness_;
  double duration_ = 0.0;
};

/// Finish-time fairness: min max_m [t_m + remaining_m / thr(m, X)] / [I_m +
/// remaining_m / thr(m, Xiso)], t_m the time since arrival and I_m the isolated
/// time of what is done. False position on rho; it can be reached where z >= 1
/// for the demands remaining_m / (rho iso_m - t_m).
class FinishTimeFairnessPolicy final : public GavelPolicy {
 public:
  explicit FinishTimeFairnessPolicy(Awareness awareness) : awareness_(awareness) {}
  [[nodiscard]] Allocation solve(const RoundContext& context) override;

  /// rho of the last solution.
  [[nodiscard]] double rho() const noexcept { return rho_; }

 private:
  struct Past {
    double isolated_seconds = 0.0;  // I_m
    double steps_left = -1.0;       // at the last solution; < 0: none yet
    double isolated_rate = 0.0;     // thr(m, Xiso) at the last solution
  };
  [[nodiscard]] std::vector<double> isolated_times(const RoundContext& context,
                                                   std::span<const ShareRow> rows);

  Awareness awareness_;
  double rho_ = 0.0;
  std::vector<Past> past_;  // by job id
};

/// max sum_m thr(m, X).
class MaxSumThroughputPolicy final : public GavelPolicy {
 public:
  [[nodiscard]] Allocation solve(const RoundContext& context) override;
  [[nodiscard]] double objective() const noexcept { return objective_; }

 private:
  double objective_ = 0.0;
};

}  // namespace berth::schedulers
