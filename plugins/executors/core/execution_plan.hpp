// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/execution_model.hpp"
#include "berth/problem.hpp"

namespace berth::executors {

/// What a placement makes of a graph: tasks, where each runs, and what waits for what. Tasks are
/// the ops, by id, then one transfer for each (producer, destination device) pair, by producer,
/// then destination; a transfer runs on its destination.
struct ExecutionPlan {
  struct Transfer {
    std::uint32_t producer = 0;
    std::uint32_t consumer = 0;  ///< The first in edge order.
    std::uint32_t from = 0;      ///< Device.
    std::uint32_t to = 0;        ///< Device.
    double duration = 0.0;       ///< Time units on idle links, of the longest edge.
  };

  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::vector<std::uint32_t> device;     ///< [tasks]
  std::vector<std::uint32_t> pending;    ///< [tasks] tasks that must end before.
  std::vector<std::uint32_t> sources;    ///< Tasks that wait for nothing, ascending.
  std::vector<std::uint32_t> out_begin;  ///< [tasks + 1] rows of `out`.
  std::vector<std::uint32_t> out;        ///< Tasks that wait for the row's, ascending.
  std::vector<Transfer> transfers;
  Discipline discipline = Discipline::kFifo;  ///< Never kAuto.
  std::vector<double> order;                  ///< [ops]; empty under fifo.

  [[nodiscard]] std::size_t num_tasks() const noexcept { return device.size(); }
  [[nodiscard]] bool is_transfer(std::uint32_t task) const noexcept { return task >= num_ops; }
  [[nodiscard]] const Transfer& transfer_of(std::uint32_t task) const noexcept {
    return transfers[task - num_ops];
  }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t task) const noexcept {
    return std::span(out).subspan(out_begin[task], out_begin[task + 1] - out_begin[task]);
  }
  /// The transfer of `producer` to `to`, as a task. @pre there is one.
  [[nodiscard]] std::uint32_t transfer_task(std::uint32_t producer,
                                            std::uint32_t to) const noexcept;
};

/// @throws InputError if the placement is not legal (memory aside) or its static order deadlocks.
/// Cost O(ops log ops + edges log degree).
[[nodiscard]] ExecutionPlan make_execution_plan(const PlacementProblem& problem,
                                                const Placement& placement);

}  // namespace berth::executors
