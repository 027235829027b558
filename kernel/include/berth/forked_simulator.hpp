// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/cluster_simulator.hpp"
#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// What one copy of a job can do in a slot.
struct ForkedCopy {
  double rate = 0.0;              ///< Steps/s, > 0.
  double overhead_seconds = 0.0;  ///< Restart and aggregation before its first step.
};

/// How a job's copies share a slot.
struct ForkedSlot {
  std::vector<std::uint64_t> steps;  ///< [num_copies]
  double end_seconds = 0.0;          ///< From the slot's start; when the last copy is done.
  bool finishes = false;             ///< The steps sum exactly to what was left.
};

/// Divides a slot (HadarE). While the copies cannot
/// finish the job each makes floor(rate * (slot - overhead)) steps; else all
/// end together at tau = (remaining + sum rate * overhead) / sum rate, by
/// largest remainder, without the copies whose overhead exceeds tau.
/// @param remaining_steps a whole number > 0.
[[nodiscard]] BERTH_API ForkedSlot divide_slot(std::span<const ForkedCopy> copies,
                                               std::uint64_t remaining_steps,
                                               double slot_seconds);

struct ForkedSimulationOptions {
  double slot_seconds = 360.0;
  double restart_seconds = 10.0;     ///< When a node takes up another job than it last ran.
  double aggregation_seconds = 5.0;  ///< Per slot and copy of a job that has more than one.
  double lost_copy_share = 0.0;      ///< Probability that a copy's slot is lost: weight 0.
  std::uint64_t seed = 0;
};

/// A forked run: jobs with gangs of one, whose copies train at once on separate
/// nodes. Fields of the run mean what they mean in simulate_cluster(); a job's
/// record counts restarts per node.
///
/// @param scheduler Names a job once per node that it gets.
/// @param observer Called after each decision.
/// @throws InputError for gangs or nodes larger than one accelerator;
/// PluginError if a node is given twice; RunError as simulate_cluster().
[[nodiscard]] BERTH_API ClusterRun simulate_forked(const Cluster& nodes,
                                                   std::span<const JobSpec> jobs,
                                                   ClusterScheduler& scheduler,
                                                   const ForkedSimulationOptions& options,
                                                   const RoundObserver& observer = {});

}  // namespace abi_v1
}  // namespace berth
