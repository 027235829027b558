// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <variant>
#include <vector>

#include "link_reservations.hpp"
#include "packed_problem.hpp"
#include "time_queues.hpp"

namespace berth::internal {

/// `links` under fifo, one stream, every op taking time: DelayFifo with one more event for each
/// op that sends something to another device, because requests for links count in the order of
/// finishes, not of starts.
///
/// Operations of one run: at most 2 heap pushes and pops an op, two passes over its edges, and
/// one reservation for each (producer, destination device). Allocates nothing.
class LinksFifo {
 public:
  explicit LinksFifo(const PackedProblem& packed);

  /// @pre packed.time_passes and a legal placement.
  [[nodiscard]] double run(std::span<const DeviceId> device);
  /// Finish times of the ops of the last run, added up.
  [[nodiscard]] double finish_sum() const noexcept { return finish_sum_; }

 private:
  template <class Queue>
  double run_with(std::span<const DeviceId> device, Queue& events);

  const PackedProblem* packed_;
  LinkReservations links_;
  std::vector<OpState> state_;
  std::vector<double> free_;
  std::variant<TimeLine, TimeHeap> events_;
  double finish_sum_ = 0.0;
};

}  // namespace berth::internal
