// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// Position of a job in its trace.
enum class JobId : std::uint32_t {};

/// A training job as it is submitted. Its workers form a gang: all of them run, or none.
struct JobSpec {
  std::string name;          ///< A label, for example "ResNet-18 (batch size 64)".
  std::uint32_t gang = 1;    ///< Accelerators it needs at once.
  double total_steps = 0.0;  ///< Training steps of the whole gang, > 0.
  double arrival_seconds = 0.0;
  double weight = 1.0;        ///< Priority weight of fairness policies, > 0.
  std::vector<double> rates;  ///< [num_types] steps/s of the gang inside one machine; 0: never.
  std::vector<double> spread_rates;  ///< [num_types] steps/s of the gang over several machines.

  bool operator==(const JobSpec&) const = default;
};

/// @throws InputError naming the job, field, value found and range expected; also where the job
/// cannot run on any type of the cluster or its gang is larger than the cluster.
BERTH_API void check_jobs(const Cluster& cluster, std::span<const JobSpec> jobs);

/// Whether a gang may use several accelerator types in one round, and what it then reaches.
enum class MixRule : std::uint8_t {
  kOff,       ///< One type per job and round.
  kMin,       ///< Equal shares: the slowest type sets the pace (synchronous data parallelism).
  kBalanced,  ///< Shares in proportion to speed: rate = sum of n_r * T_r / W.
};

/// How gangs run: what mixing and spreading cost, and what a move costs.
struct GangModel {
  MixRule mix = MixRule::kMin;
  bool measured_spread = true;    ///< A gang on several machines runs at spread_rates.
  double restart_seconds = 10.0;  ///< Paid on every resume or move; the first start is free.

  bool operator==(const GangModel&) const = default;
};

/// Steps/s of a whole gang that uses `counts[type]` accelerators; 0 where it may not run so.
/// @param counts [num_types], summing to job.gang.
[[nodiscard]] BERTH_API double gang_rate(const JobSpec& job,
                                         std::span<const std::uint32_t> counts,
                                         bool one_machine,
                                         const GangModel& model);

/// The best rate of a pure gang of `type`; consolidated where a machine can hold it. 0: never.
/// With the spread model this is the larger of both rates where both are possible, so that it
/// bounds every gang from above.
[[nodiscard]] BERTH_API double best_rate(const Cluster& cluster,
                                         const JobSpec& job,
                                         GpuTypeId type,
                                         const GangModel& model);

/// What a scheduler sees of an arrived, unfinished job.
struct JobState {
  JobId id{};
  const JobSpec* spec = nullptr;
  double remaining_steps = 0.0;
  double executed_seconds = 0.0;      ///< Time it held its gang, restarts included.
  double first_start_seconds = -1.0;  ///< < 0: never started.
  double last_end_seconds = -1.0;     ///< When it last stopped running.
  std::uint32_t restarts = 0;
  bool ran_last_round = false;
  std::vector<GpuId> gpus;  ///< Where it last ran, ascending; empty before the first start.
};

}  // namespace abi_v1
}  // namespace berth
