// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/export.hpp"
#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// What is hidden behind compute.
struct PlanRules {
  double overlap_transfer = 0.0;
  double overlap_gradient = 0.0;
};

/// A plan priced from its device lists alone; shares no code with any planner, only the costs of
/// collectives.
struct PlanScore {
  std::vector<StageTime> times;       ///< [stages]
  std::vector<StageMemory> memories;  ///< [stages]
  double seconds_per_batch = 0.0;     ///< Closed form, spec 4.2.
  double simulated_seconds = 0.0;     ///< 1F1B played micro-batch by micro-batch, and sync_seconds.
  double pipeline_seconds = 0.0;
  double sync_seconds = 0.0;
  double bubble_fraction = 0.0;  ///< Idle share of the pipeline part, averaged over stages.
  std::size_t fullest_stage = 0;
  double fullest_share = 0.0;  ///< Of its smallest device's memory.
  bool fits = false;
};

/// Prices any plan that check_plan() accepts and whose stages take one block each. Cost
/// O(layers + devices * levels + stages * micro-batches).
/// @throws InputError as check_plan().
[[nodiscard]] BERTH_API PlanScore score_plan(const StrategyProblem& problem,
                                             const ParallelPlan& plan,
                                             const PlanRules& rules);

/// A stage as the pipeline simulation sees it.
struct PipelineStage {
  double forward_seconds = 0.0;
  double backward_seconds = 0.0;  ///< Recomputation included.
  double link_seconds = 0.0;      ///< To the next stage, one message, either way.
};

/// End of the last backward pass of a 1F1B schedule (PipeDream-flush; Narayanan et al. 2021): stage
/// q of p starts with min(b, p - q - 1) forward passes, then alternates. Messages are pure delays.
/// Cost O(stages * micro_batches).
[[nodiscard]] BERTH_API double simulate_1f1b(const std::vector<PipelineStage>& stages,
                                             std::size_t micro_batches);

}  // namespace abi_v1
}  // namespace berth
