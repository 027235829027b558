// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <deque>
#include <vector>

#include "dispatcher.hpp"
#include "stream_board.hpp"

namespace berth::executors {

/// Gives tasks that are ready to free streams: work-conserving, one task at a time on a stream.
/// The same rule in the play that plans streams ahead and in a run that is dispatched as it goes.
class StreamFeeder {
 public:
  /// All must outlive the feeder.
  StreamFeeder(const ExecutionPlan& plan, const Producers& producers, const StreamSpec& spec)
      : plan_(plan),
        producers_(producers),
        spec_(spec),
        board_(spec, plan.num_devices),
        copies_(plan.num_devices * spec.all()) {
    dispatcher_.load(plan);
    dispatcher_.restart();
  }

  /// Calls start(task, stream) for everything that may start on `device`.
  template <class Start>
  void feed(std::uint32_t device, const Start& start) {
    for (std::uint32_t copy = dispatcher_.take_copy(device); copy != Dispatcher::kNone;
         copy = dispatcher_.take_copy(device)) {
      const StreamId stream{device, board_.copy_stream(plan_.transfer_of(copy).from)};
      copies_[slot(stream)].push_back(copy);
    }
    for (std::uint32_t number = spec_.compute; number < spec_.all(); ++number) {
      const StreamId stream{device, number};
      auto& waiting = copies_[slot(stream)];
      if (!waiting.empty() && !board_.is_busy(stream)) {
        const std::uint32_t copy = waiting.front();
        waiting.pop_front();
        board_.occupy(stream, copy);
        start(copy, stream);
      }
    }
    while (board_.has_free_compute(device)) {
      const std::uint32_t op = dispatcher_.take_op(device);
      if (op == Dispatcher::kNone) {
        return;
      }
      const StreamId stream{device, board_.free_compute(device, producers_.of(op))};
      board_.occupy(stream, op);
      start(op, stream);
    }
  }

  /// `task` on `stream` has ended. Calls wake(device) for devices that may have something to start.
  template <class Wake>
  void end(std::uint32_t task, StreamId stream, double now, const Wake& wake) {
    board_.release(stream);
    wake(stream.device);
    dispatcher_.complete(task, now, wake);
  }

  [[nodiscard]] bool done() const noexcept { return dispatcher_.done(); }
  [[nodiscard]] std::size_t slot(StreamId stream) const noexcept {
    return std::size_t{stream.device} * spec_.all() + stream.number;
  }

 private:
  const ExecutionPlan& plan_;
  const Producers& producers_;
  StreamSpec spec_;
  Dispatcher dispatcher_;
  StreamBoard board_;
  std::vector<std::deque<std::uint32_t>> copies_;  ///< [devices * streams] that wait for it.
};

}  // namespace berth::executors
