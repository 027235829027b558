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

/// The devices in the order in which a packing takes them, last stage first.
struct DeviceOrder {
  std::vector<std::uint32_t> classes;  ///< Device classes in turn; empty: by device number.
  std::vector<std::uint32_t> devices;  ///< All of them.
};

/// The orders worth trying: by number, and one for every order of the classes that gives another
/// sequence (at most 24: with more than four classes, by ascending and descending speed alone).
/// Within a class devices keep their order.
[[nodiscard]] std::vector<DeviceOrder> device_orders(const StrategyProblem& problem);

/// Blocks of one size over an order of devices: `data` replicas of `stages` blocks of `block`.
/// Position s = 1 .. stages counts from the last stage.
struct PipelineLayout {
  Packing packing = Packing::kPipelineInner;
  std::size_t block = 1;
  std::size_t stages = 1;
  std::size_t data = 1;
  const DeviceOrder* order = nullptr;

  /// Index into the order of the first device of a block.
  [[nodiscard]] std::size_t first_index(std::size_t replica, std::size_t position) const noexcept {
    return packing == Packing::kPipelineInner ? (replica * stages + position - 1) * block
                                              : ((position - 1) * data + replica) * block;
  }
  [[nodiscard]] std::uint32_t device(std::size_t replica,
                                     std::size_t position,
                                     std::size_t rank) const {
    return order->devices[first_index(replica, position) + rank];
  }
  [[nodiscard]] std::vector<std::uint32_t> block_devices(std::size_t replica,
                                                         std::size_t position) const;
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

/// Collectives, memory and classes of `data` blocks of a configuration that start at the given
/// indices of an order; no links. Cost O(devices * levels).
[[nodiscard]] Position make_site(const StrategyProblem& problem,
                                 const StrategyConfiguration& configuration,
                                 const Collectives& collectives,
                                 const DeviceOrder& order,
                                 const std::vector<std::size_t>& firsts);

/// All positions of a layout, index 1 .. stages (0 is unused). Cost O(devices * levels).
[[nodiscard]] std::vector<Position> make_positions(const StrategyProblem& problem,
                                                   const StrategyConfiguration& configuration,
                                                   const Collectives& collectives,
                                                   const PipelineLayout& layout);

/// The link from one position of a layout to another, the slowest pair of ranks.
[[nodiscard]] AffineCost link_between(const StrategyProblem& problem,
                                      const Collectives& collectives,
                                      const PipelineLayout& layout,
                                      std::size_t from,
                                      std::size_t to);

/// Seconds per byte and batch of the all-reduce between the two copies of a tied matrix.
[[nodiscard]] CollectiveCost tied_reduce(const StrategyProblem& problem,
                                         const Collectives& collectives,
                                         const PipelineLayout& layout);

/// An all-reduce between two devices that meet at `level`.
[[nodiscard]] CollectiveCost reduce_pair(const StrategyProblem& problem,
                                         const Collectives& collectives,
                                         std::size_t level);

}  // namespace berth::nest
