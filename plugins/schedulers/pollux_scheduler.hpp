// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/rng.hpp"

namespace berth::schedulers {

struct PolluxOptions {
  std::size_t population = 24;   ///< Pollux: 100.
  std::size_t generations = 24;  ///< Pollux: 100.
  double change_factor = 0.9;    ///< Of a job's speed-up, where its machines change.
};

/// Pollux (OSDI'21) for jobs whose gangs are fixed: every round a genetic search over which job
/// holds accelerators on which machines. A job's fitness is its speed-up (rate of the gang so
/// divided / rate inside one machine, as a mean over types: Pollux knows one type of accelerator)
/// times its share of the cluster, times `change_factor` if its machines change; a machine hosts at
/// most one job that spans several. The search draws from streams named by round.
///
/// What it does not have of Pollux: gangs that grow and shrink, batch sizes that follow, and so
/// statistical efficiency: with a fixed gang and batch goodput is throughput.
class PolluxScheduler final : public ClusterScheduler {
 public:
  PolluxScheduler(const PolluxOptions& options, std::uint64_t seed)
      : options_(options), seed_(seed) {}

  [[nodiscard]] RoundSchedule schedule(const RoundContext& context) override;
  [[nodiscard]] std::string explain(JobId job) const override;

 private:
  PolluxOptions options_;
  std::uint64_t seed_;
  double fitness_ = 0.0;        // last round
  std::vector<JobId> running_;  // last round
};

}  // namespace berth::schedulers
