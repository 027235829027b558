// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
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
/// collectives and, for interleaved plans, play_pipeline().
struct PlanScore {
  std::vector<StageTime> times;       ///< [stages]
  std::vector<StageMemory> memories;  ///< [stages]
  double seconds_per_batch = 0.0;     ///< pipeline_seconds + sync_seconds.
  double simulated_seconds = 0.0;     ///< The schedule played out, and sync_seconds.
  /// 1F1B: the sum of the loads and (micro-batches - 1) times the slowest, per replica of each
  /// stage. Interleaved: as played out, for which there is no such form.
  double pipeline_seconds = 0.0;
  double closed_seconds = 0.0;  ///< The same in closed form: equal stages, no stalls.
  double sync_seconds = 0.0;
  double bubble_fraction = 0.0;  ///< Idle share of the pipeline part, averaged over stages.
  /// [depth] Most bytes on a device of each block at any moment of the played-out schedule.
  std::vector<double> peak_bytes;
  std::size_t fullest_stage = 0;
  double fullest_share = 0.0;  ///< Of its smallest device's memory.
  bool fits = false;           ///< At every moment.
  /// Why closed form and played-out time differ, if by more than 3 %; else empty.
  std::string difference;
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
  std::size_t replicas = 1;       ///< Micro-batch i runs on replica i mod replicas.
  double saved_bytes = 0.0;       ///< Kept per micro-batch from forward to backward pass.
};

/// A schedule played out.
struct PipelineRun {
  double seconds = 0.0;                ///< End of the last backward pass.
  std::vector<double> peak_bytes;      ///< [depth] Most saved bytes at once on one device.
  std::vector<std::size_t> in_flight;  ///< [stages] Most micro-batches at once in one replica.
};

/// Plays a batch of `micro_batches` (over all replicas) pass by pass. Messages are pure delays.
/// - 1F1B (PipeDream-flush; Narayanan et al. 2021): a replica of stage q starts with
///   ceil(sum of the replicas of q and all later stages / its own) - 1 forward passes, which is
///   p - q - 1 for equal degrees, then alternates.
/// - Interleaved 1F1B with `chunks` v > 1 (the same paper, sec. 2.2): stage q runs on device
///   q mod p; device r starts with 2(p - r - 1) + (v - 1)p passes.
/// Cost O(stages * micro_batches). @throws InputError if stages do not divide by chunks,
/// micro-batches not by the depth where chunks > 1, or replicas and chunks are both above 1.
[[nodiscard]] BERTH_API PipelineRun play_pipeline(const std::vector<PipelineStage>& stages,
                                                  std::size_t micro_batches,
                                                  std::size_t chunks);

/// Seconds of play_pipeline() without chunks.
[[nodiscard]] BERTH_API double simulate_1f1b(const std::vector<PipelineStage>& stages,
                                             std::size_t micro_batches);

}  // namespace abi_v1
}  // namespace berth
