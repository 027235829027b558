// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <variant>
#include <vector>

#include "packed_problem.hpp"
#include "time_queues.hpp"

namespace berth::internal {

/// `delay` under fifo, one stream, every op taking time: the fast path of search.
///
/// Devices serve their ops by (ready time, id), and an op becomes ready only after its
/// predecessors started, so popping ready ops in that order meets every device's order too: start
/// and finish are known at the pop, and no finish or arrival events exist.
///
/// Operations of one run: ops - sources pushes and pops on a heap of the ready ops, one addition
/// and two maxima an edge, two additions and a maximum an op. Allocates nothing.
class DelayFifo {
 public:
  explicit DelayFifo(const PackedProblem& packed);

  /// @pre packed.time_passes and a legal placement.
  [[nodiscard]] double run(std::span<const DeviceId> device);
  /// Finish times of the ops of the last run, added up.
  [[nodiscard]] double finish_sum() const noexcept { return finish_sum_; }

 private:
  template <bool kPlainLinks, bool kOneClass, class Queue>
  double run_as(std::span<const DeviceId> device, Queue& queue);
  template <class Queue>
  double run_with(std::span<const DeviceId> device, Queue& queue);

  const PackedProblem* packed_;
  std::vector<OpState> state_;
  std::vector<double> free_;  ///< [devices] when the device is idle again.
  std::variant<TimeLine, TimeHeap> ready_;
  double finish_sum_ = 0.0;
};

}  // namespace berth::internal
