// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/problem.hpp"

#include "arena.hpp"
#include "arena_plan.hpp"
#include "device_share.hpp"
#include "memory_source.hpp"
#include "op_shape.hpp"

namespace berth::executors {

/// The memory of a rank's devices: arenas for results, copies of graph inputs, workspaces. It
/// stays, and only grows, from one placement to the next. Devices are numbered as in the problem;
/// those of other ranks have no memory here, but what they need is known.
class DeviceMemory {
 public:
  /// All references must outlive the memory. @param streams ops a device runs at once.
  DeviceMemory(const PlacementProblem& problem,
               const OpShapes& shapes,
               std::uint32_t streams,
               MemorySource& source,
               const DeviceShare& share);

  /// Makes room for a placement and places the inputs that it reads. Where devices are cached
  /// apart, results that were sent keep their memory if there is enough. @return why there is no
  /// room; nothing has changed then.
  [[nodiscard]] std::optional<std::string> prepare(const ExecutionPlan& plan);

  /// Where a task's result lies; null on a device of another rank.
  [[nodiscard]] float* result(std::uint32_t task) const noexcept { return results_[task]; }
  [[nodiscard]] std::uint64_t result_bytes(std::uint32_t op) const noexcept { return bytes_[op]; }
  /// What an op reads: for each operand its input, or its pieces' blocks.
  [[nodiscard]] std::span<const float* const> sources(std::uint32_t op) const noexcept {
    return std::span(sources_).subspan(source_begin_[op],
                                       source_begin_[op + 1] - source_begin_[op]);
  }
  /// Where all results of a device lie; empty for a device of another rank.
  [[nodiscard]] std::span<const float> results(std::size_t device) const noexcept {
    return {arenas_[device].reals(), used_bytes_[device] / sizeof(float)};
  }
  [[nodiscard]] float* workspace(std::size_t device, std::size_t stream) const noexcept {
    return workspaces_[device * streams_ + stream].reals();
  }

 private:
  [[nodiscard]] std::optional<std::string> shortage(const ExecutionPlan& plan,
                                                    const ArenaPlan& arenas) const;
  void place_inputs(const ExecutionPlan& plan);
  void point(const ExecutionPlan& plan, const ArenaPlan& arenas);

  const PlacementProblem& problem_;
  const OpShapes& shapes_;
  std::uint32_t streams_;
  MemorySource& source_;
  DeviceShare share_;
  std::optional<Reachability> reach_;       ///< None for graphs too large for it.
  std::vector<std::uint64_t> bytes_;        ///< [ops] of results
  std::vector<Arena> arenas_;               ///< [devices]
  std::vector<std::uint64_t> used_bytes_;   ///< [devices] of the arenas, by the present placement.
  std::vector<Arena> workspaces_;           ///< [devices * streams]
  std::vector<std::vector<Arena>> inputs_;  ///< [devices][input regions]; empty until read.
  std::vector<float*> results_;             ///< [tasks]
  std::vector<const float*> sources_;
  std::vector<std::size_t> source_begin_;  ///< [ops + 1]
};

}  // namespace berth::executors
