// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/cluster_scheduler.hpp"

#include "pure_gangs.hpp"

namespace berth::schedulers {

struct SiaOptions {
  double power = -0.5;            ///< p of the fairness power; < 0.
  double waiting_penalty = 1.1;   ///< lambda: what a job without accelerators costs.
  double gap = 1e-3;              ///< Relative, at which the integer program is good enough.
  std::int64_t most_nodes = 200;  ///< Of one search of the integer program.
};

/// Sia (SOSP'23) for jobs whose gangs are fixed, which Sia calls rigid: every round an integer
/// program chooses for each job one accelerator type or none. G = rate, scaled so that a job's
/// slowest type counts its gang; types other than the present one times
/// (age - restarts x cost) / (age + cost); G^p, to two decimals, at most 3000; min sum G^p +
/// lambda x jobs that wait. Gangs that fit into a machine are never split: where the free
/// accelerators of a type are too scattered, all gangs of the type are placed anew, largest first.
///
/// What it does not have of Sia: gangs that grow and shrink, batch sizes that follow, and rates
/// that are learnt on the way.
class SiaScheduler final : public ClusterScheduler {
 public:
  explicit SiaScheduler(const SiaOptions& options) : options_(options) {}

  [[nodiscard]] RoundSchedule schedule(const RoundContext& context) override;
  [[nodiscard]] std::string explain(JobId job) const override;

  /// The cost of a job on a type; `stays`: it is there already. > lambda where it should wait.
  [[nodiscard]] double cost(const RoundContext& context,
                            const JobState& job,
                            std::size_t type,
                            bool stays) const;

 private:
  /// A job and a type that it may take.
  struct Entry {
    std::size_t row = 0;
    std::size_t type = 0;
    double cost = 0.0;
    bool operator==(const Entry&) const = default;
  };
  [[nodiscard]] std::vector<Entry> entries(const RoundContext& context) const;
  [[nodiscard]] std::vector<PureGang> choose(const RoundContext& context,
                                             const std::vector<Entry>& entries) const;

  SiaOptions options_;
  std::vector<JobId> seen_;      // last round: its jobs,
  std::vector<Entry> entries_;   // their entries,
  std::vector<PureGang> gangs_;  // and the answer
};

}  // namespace berth::schedulers
