// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/export.hpp"
#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// How the artifact of NEST times a batch; see spec 3.3 and 3.7.
struct ArtifactRules {
  bool recompute_at_backward_cost = true;
  bool fill_by_sum = false;  ///< Sum of the stages instead of (S - 1) times the slowest.
};

/// A plan timed from its device lists alone; shares no code with any planner.
struct ArtifactScore {
  double seconds_per_batch = 0.0;
  double slowest_stage_seconds = 0.0;
  double sync_seconds = 0.0;
  double worst_memory_bytes = 0.0;  ///< Of the fullest device.
  bool fits = false;
};

/// Scores the first replica's stages and the all-reduce of the first stage's weights over all
/// replicas, as the artifact does. ZeRO is not modelled. Cost O(stages * layers * edges).
/// @throws InputError if the stages are not a partition of the layers, in order, or a device is
///         unknown or used twice.
[[nodiscard]] BERTH_API ArtifactScore score_artifact_plan(const StrategyProblem& problem,
                                                          const ParallelPlan& plan,
                                                          const ArtifactRules& rules);

}  // namespace abi_v1
}  // namespace berth
