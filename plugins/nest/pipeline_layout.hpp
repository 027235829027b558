// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "berth/collectives.hpp"
#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::nest {

/// Blocks of one size over the device numbers: `data` replicas of `stages` blocks of `block`.
/// Position s = 1 .. stages counts from the last stage.
struct PipelineLayout {
  Packing packing = Packing::kPipelineInner;
  std::size_t block = 1;
  std::size_t stages = 1;
  std::size_t data = 1;

  [[nodiscard]] std::size_t first_device(std::size_t replica, std::size_t position) const noexcept {
    return packing == Packing::kPipelineInner ? (replica * stages + position - 1) * block
                                              : ((position - 1) * data + replica) * block;
  }
};

/// What a position costs beside its layers; the worst over all replicas and ranks.
struct Position {
  AffineCost in;   ///< From the stage before; nothing at the first stage.
  AffineCost out;  ///< From the stage after; nothing at the last.
  CollectiveCost dense_reduce, dense_scatter, dense_gather;
  CollectiveCost expert_reduce, expert_scatter, expert_gather;
  double memory_bytes = 0.0;           ///< Of the smallest device.
  std::vector<std::uint32_t> classes;  ///< Device classes that occur, ascending.
};

/// All positions of a layout, index 1 .. stages (0 is unused). Cost O(devices * levels).
[[nodiscard]] std::vector<Position> make_positions(const StrategyProblem& problem,
                                                   const StrategyConfiguration& configuration,
                                                   const Collectives& collectives,
                                                   const PipelineLayout& layout);

/// Seconds per byte and batch of the all-reduce between the two copies of a tied matrix.
[[nodiscard]] CollectiveCost tied_reduce(const StrategyProblem& problem,
                                         const Collectives& collectives,
                                         const PipelineLayout& layout);

}  // namespace berth::nest
