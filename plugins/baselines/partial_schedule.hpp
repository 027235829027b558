// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/placement.hpp"
#include "berth/problem.hpp"

namespace berth::baselines {

/// Whether an op may start in an idle gap before ops that are already scheduled.
enum class Gaps : std::uint8_t { kInsert, kAppend };

/// A schedule under construction in the `delay` model, one op at a time, predecessors first: what
/// every list scheduler here is built on. Times are in the problem's time units.
class PartialSchedule {
 public:
  /// The problem must outlive the schedule.
  explicit PartialSchedule(const PlacementProblem& problem);

  /// True if `device` can run `op` and has memory left for it.
  [[nodiscard]] bool fits(OpId op, DeviceId device) const noexcept;

  /// When the outputs of all predecessors of `op`, each of them assigned, are on `device`.
  [[nodiscard]] double ready_time(OpId op, DeviceId device) const noexcept;

  /// Earliest start of `op` on `device`: data ready, device idle for the op's whole duration.
  [[nodiscard]] double earliest_start(OpId op, DeviceId device, Gaps gaps) const noexcept;

  /// How long `device` has been idle at `start`: since its last op that ends by then, or since 0.
  [[nodiscard]] double idle_before(double start, DeviceId device) const noexcept;

  /// Puts `op` on `device` at `start`.
  void assign(OpId op, DeviceId device, double start);

  [[nodiscard]] double compute(OpId op, DeviceId device) const noexcept {
    return problem_->costs.compute(op, device);
  }
  /// Total time of the ops on `device`.
  [[nodiscard]] double load(DeviceId device) const noexcept { return load_[index(device)]; }
  [[nodiscard]] double makespan() const noexcept { return makespan_; }

  /// Devices and the order in which they start their ops. Replayed as a static order in `delay`
  /// it takes at most makespan().
  [[nodiscard]] Placement placement() const;

 private:
  struct Interval {
    double start;
    double finish;
  };

  /// Adds an interval of some length to maximal blocks, so that gaps are found without a walk over
  /// all ops of a device.
  static void join(std::vector<Interval>& blocks, const Interval& interval);

  const PlacementProblem* problem_;
  std::vector<std::vector<Interval>> busy_;    ///< [devices] by start
  std::vector<std::vector<Interval>> blocks_;  ///< [devices] the same, intervals that touch joined
  std::vector<double> load_;                   ///< [devices] time units
  std::vector<double> room_;                   ///< [devices] bytes left
  std::vector<DeviceId> device_;               ///< [ops]
  std::vector<double> start_;                  ///< [ops]
  std::vector<double> finish_;                 ///< [ops]
  double makespan_ = 0.0;
};

/// Position of each op in the graph's topological order.
[[nodiscard]] std::vector<std::uint32_t> topological_position(const Graph& graph);

/// Order values 0, 1, ... of the ops by (start, finish, topological position): a static order that
/// cannot deadlock if the times respect the dependencies.
[[nodiscard]] std::vector<double> order_by_start(const Graph& graph,
                                                 std::span<const double> start,
                                                 std::span<const double> finish);

/// @throws SolverError "<policy>: no device that can run 'op' has memory left for it".
[[noreturn]] void refuse_full(const char* policy, const Graph& graph, OpId op);

}  // namespace berth::baselines
