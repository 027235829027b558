// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/export.hpp"
#include "berth/strategy_problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// How blocks follow each other over the device numbers. Position s counts from the last stage.
enum class Packing : std::uint8_t {
  kPipelineInner,  ///< Stages of a replica are neighbours.
  kDataInner,      ///< Replicas of a stage are neighbours.
};

/// Seconds of one stage for one micro-batch, and per batch where said so.
struct StageTime {
  double forward = 0.0;
  double backward = 0.0;
  double recompute = 0.0;
  double transfer = 0.0;  ///< What it receives: activation in, gradient in.
  double zero = 0.0;      ///< Collectives of ZeRO for one micro-batch.
  double sync = 0.0;      ///< Gradient collective, per batch.
  double step = 0.0;      ///< Optimizer step, per batch.

  /// Time the stage is busy per micro-batch.
  [[nodiscard]] double load() const noexcept {
    return forward + backward + recompute + transfer + zero;
  }
};

/// Bytes per device of one stage.
struct StageMemory {
  double weights = 0.0;
  double gradients = 0.0;
  double optimizer = 0.0;
  double stash = 0.0;  ///< Saved activations of all micro-batches in flight.
  double work = 0.0;
  double reserve = 0.0;

  [[nodiscard]] double total() const noexcept {
    return weights + gradients + optimizer + stash + work + reserve;
  }
};

/// Layers [first_layer, first_layer + num_layers) on `devices` devices per replica.
struct PlanStage {
  std::uint32_t first_layer = 0;
  std::uint32_t num_layers = 0;
  std::uint32_t devices = 1;
  Recompute recompute = Recompute::kNone;
  StageTime time;
  StageMemory memory;
};

/// A whole strategy: how the model is cut and where every part runs.
struct BERTH_API ParallelPlan {
  std::uint32_t configuration = 0;  ///< Index into the problem's configurations.
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  bool sequence_parallel = false;
  std::uint32_t micro_batch = 1;
  std::uint32_t data = 1;           ///< Replicas.
  std::uint32_t micro_batches = 1;  ///< Of the busiest replica.
  std::uint32_t zero_stage = 0;
  Packing packing = Packing::kPipelineInner;
  std::vector<PlanStage> stages;  ///< First to last.
  /// [replica][stage]: first device; a block is consecutive devices, tensor ranks innermost.
  std::vector<std::vector<std::uint32_t>> first_device;
  double seconds_per_batch = 0.0;
  double pipeline_seconds = 0.0;  ///< Fill, steady state and drain.
  double sync_seconds = 0.0;      ///< Gradients and optimizer, as far as not hidden.

  [[nodiscard]] std::size_t devices_used() const noexcept;
};

/// Checks that a plan is one of this problem: a known configuration, every layer in exactly one
/// stage and in order, a block of known devices per stage and replica, no device twice.
/// @throws InputError naming the stage, layer or device.
BERTH_API void check_plan(const StrategyProblem& problem, const ParallelPlan& plan);

}  // namespace abi_v1
}  // namespace berth
