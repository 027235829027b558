// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/cluster_simulator.hpp"
#include "berth/gpu_ledger.hpp"

#include "cluster_file.hpp"

namespace berth {

/// A job of one accelerator type that makes `rate` steps a second.
inline JobSpec job(double steps,
                   double arrival_seconds = 0.0,
                   std::uint32_t gang = 1,
                   double rate = 1.0) {
  JobSpec spec;
  spec.name = "test";
  spec.gang = gang;
  spec.total_steps = steps;
  spec.arrival_seconds = arrival_seconds;
  spec.rates = {rate};
  spec.spread_rates = {rate};
  return spec;
}

/// Serves jobs by id, each on the first accelerators of type 0 that are free.
class FirstFit final : public ClusterScheduler {
 public:
  RoundSchedule schedule(const RoundContext& context) override {
    GpuLedger ledger(context.cluster);
    RoundSchedule schedule;
    for (const JobState& state : context.jobs) {
      std::vector<std::uint32_t> counts(context.cluster.num_types(), 0);
      counts[0] = state.spec->gang;
      std::vector<GpuId> gpus = ledger.take(counts);
      if (!gpus.empty()) {
        schedule.assignments.push_back({state.id, std::move(gpus)});
      }
    }
    return schedule;
  }
};

/// Berth's clock without costs, so that expected times are plain sums.
inline ClusterSimulationOptions free_moves(RoundEnd end = RoundEnd::kFixed) {
  ClusterSimulationOptions options;
  options.round_end = end;
  options.gangs.restart_seconds = 0.0;
  return options;
}

}  // namespace berth
