// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
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

/// Layers [first_layer, first_layer + num_layers) on `devices` devices per replica. Stages may
/// differ in configuration (tensor degree and so on) and in the number of replicas.
struct BERTH_API PlanStage {
  std::uint32_t first_layer = 0;
  std::uint32_t num_layers = 0;
  std::uint32_t devices = 1;        ///< Of one replica: a block.
  std::uint32_t configuration = 0;  ///< Index into the problem's: the degrees inside the block.
  Recompute recompute = Recompute::kNone;
  /// [replica][device]: which devices a block takes; tensor ranks innermost, then context, then
  /// expert ranks. Micro-batch i runs on replica i mod replicas().
  std::vector<std::vector<std::uint32_t>> blocks;
  StageTime time;
  StageMemory memory;

  [[nodiscard]] std::size_t replicas() const noexcept { return blocks.size(); }
};

/// What plans are ordered by: the objective, then time, then what breaks ties. The pair (item,
/// order) is unique within one search, so that plans from many searches merge in one way only.
struct PlanKey {
  double objective = 0.0;   ///< Seconds, money or devices; the less the better.
  double seconds = 0.0;     ///< Per batch.
  std::uint64_t item = 0;   ///< Work item that found the plan.
  std::uint64_t order = 0;  ///< Of the plan within its item.

  friend bool operator<(const PlanKey& a, const PlanKey& b) noexcept {
    return std::tie(a.objective, a.seconds, a.item, a.order) <
           std::tie(b.objective, b.seconds, b.item, b.order);
  }
};

/// A whole strategy: how the model is cut and where every part runs.
///
/// With `chunks` v > 1 (interleaved 1F1B, Narayanan et al. 2021) the p*v stages run on p blocks per
/// replica: stage q on the blocks of stage q mod p. All stages then share one configuration and one
/// number of replicas, and every replica's micro-batches are a multiple of p.
struct BERTH_API ParallelPlan {
  std::uint32_t configuration = 0;  ///< Of the first stage; so are the degrees below.
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  bool sequence_parallel = false;
  std::uint32_t micro_batch = 1;    ///< Sequences; the same in all stages.
  std::uint32_t data = 1;           ///< Replicas of the first stage.
  std::uint32_t micro_batches = 1;  ///< Of the busiest replica of any stage.
  std::uint32_t zero_stage = 0;
  std::uint32_t chunks = 1;  ///< Stages of one block; above 1 the schedule is interleaved.
  Packing packing = Packing::kPipelineInner;
  /// Device classes in the order in which the packing takes them, last stage first; empty: devices
  /// in the order of their numbers.
  std::vector<std::uint32_t> class_order;
  std::vector<PlanStage> stages;   ///< First to last.
  double seconds_per_batch = 0.0;  ///< Pipeline and sync.
  double pipeline_seconds = 0.0;   ///< Fill, steady state and drain.
  double sync_seconds = 0.0;       ///< Gradients and optimizer, as far as not hidden.
  PlanKey key;                     ///< Set by the planner.

  /// Distinct devices over all stages and replicas.
  [[nodiscard]] std::size_t devices_used() const noexcept;

  /// Blocks in a row of one replica: stages / chunks.
  [[nodiscard]] std::size_t depth() const noexcept { return stages.size() / chunks; }

  /// Whether all stages share one configuration and one number of replicas.
  [[nodiscard]] bool is_uniform() const noexcept;
};

/// The block of devices first .. first + count - 1.
[[nodiscard]] BERTH_API std::vector<std::uint32_t> consecutive_block(std::size_t first,
                                                                     std::size_t count);

/// Checks that a plan is one of this problem: known configurations of one micro-batch, every layer
/// in exactly one stage and in order, a block of known devices per stage and replica, no device
/// twice (but by the chunks of one block), interleaving as ParallelPlan says, a class order that
/// names every class once. Cost O(layers + devices).
/// @throws InputError naming the stage, layer or device.
BERTH_API void check_plan(const StrategyProblem& problem, const ParallelPlan& plan);

}  // namespace abi_v1
}  // namespace berth
