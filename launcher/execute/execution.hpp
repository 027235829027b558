// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/plugin_host.hpp"

#include "farm/stop_signal.hpp"
#include "farm/watchdog.hpp"
#include "job_tracker.hpp"
#include "mix.hpp"
#include "mpi_session.hpp"
#include "node_worker.hpp"

namespace berth::launcher {

/// What rank 0 does with a round that is done.
class ExecutionOutput {
 public:
  ExecutionOutput() = default;
  ExecutionOutput(const ExecutionOutput&) = delete;
  ExecutionOutput& operator=(const ExecutionOutput&) = delete;
  virtual ~ExecutionOutput();

  virtual void round_done(const JobTracker& tracker) = 0;
};

/// The run of a mix on MPI ranks, each of them a node: rank 0 plans a slot and sends every copy its
/// job's merged state; all train at once; rank 0 gathers what they did, merges and scores. One
/// scheduler's decisions serve both forked jobs and jobs of one node.
class Execution {
 public:
  /// References must outlive the object.
  Execution(MpiSession& session,
            const Mix& mix,
            std::uint64_t run_seed,
            PluginHost& host,
            Watchdog& watchdog,
            const StopSignal& stop);

  /// All jobs before their first step. Rank 0 alone. @throws as make_job().
  [[nodiscard]] std::vector<JobFacts> facts();

  /// Plays rounds until all jobs are done.
  /// @param tracker, scheduler Of rank 0; null elsewhere. @param output May be null.
  /// @return 0, or the signal that stopped it; the round at hand is given up then.
  int run(JobTracker* tracker, ClusterScheduler* scheduler, ExecutionOutput* output);

 private:
  [[nodiscard]] SlotOrders agree_on_orders(JobTracker* tracker, ClusterScheduler* scheduler);
  void share_states(const SlotOrders& orders, const JobTracker* tracker, std::vector<float>& mine);
  [[nodiscard]] std::vector<std::vector<float>> gather_states(
      const SlotOrders& orders, const std::vector<CopyReport>& reports, std::vector<float>& mine);
  void score(const SlotOrders& orders, JobTracker& tracker);

  MpiSession& session_;
  const Mix& mix_;
  Watchdog& watchdog_;
  const StopSignal& stop_;
  NodeWorker worker_;
};

}  // namespace berth::launcher
