// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "berth/trace.hpp"

#include "packed_problem.hpp"
#include "time_queues.hpp"

namespace berth::internal {

/// Events of one instant happen in this order, ids ascending within a kind.
enum class EventKind : std::uint64_t {
  kFinish = 0,  ///< An op ends.
  kJoin = 1,    ///< A flow is past its latency (FairSharing) or copied (PullNetwork).
  kReady = 2,   ///< An op has all its inputs.
};

[[nodiscard]] inline TimeKey event_key(double time, EventKind kind, std::uint64_t id) noexcept {
  return time_key(time, static_cast<std::uint64_t>(kind) << 60U | id);
}
[[nodiscard]] inline EventKind kind_of(TimeKey key) noexcept {
  return static_cast<EventKind>(tag_of(key) >> 60U);
}
[[nodiscard]] inline std::uint64_t id_of(TimeKey key) noexcept {
  return tag_of(key) & ((std::uint64_t{1} << 60U) - 1);
}

/// What an event-list engine and its transfers share during one run.
struct RunState {
  /// An op is in at most one event; a flow (one per producer and destination) as well.
  RunState(const PackedProblem& problem, std::size_t max_flows)
      : packed(&problem), op(problem.num_ops), events(problem.num_ops + max_flows) {}

  void reset(std::span<const DeviceId> device, Trace* recording) {
    trace = recording;
    events.clear();
    for (std::size_t v = 0; v < op.size(); ++v) {
      op[v] = packed->initial[v];
      op[v].device = static_cast<std::uint32_t>(device[v]);
    }
    for (const std::uint32_t v : packed->sources) {
      events.push(event_key(0.0, EventKind::kReady, v));
    }
  }

  /// One input of `target` is there at `time`.
  void arrive(std::uint32_t target, double time) noexcept {
    OpState& to = op[target];
    to.ready = std::max(to.ready, time);
    if (--to.pending == 0) {
      events.push(event_key(to.ready, EventKind::kReady, target));
    }
  }

  void record_transfer(
      std::size_t producer, std::uint32_t consumer, double request, double start, double finish) {
    if (trace != nullptr) {
      trace->transfers.push_back({to_id<OpId>(producer),
                                  to_id<OpId>(consumer),
                                  to_id<DeviceId>(op[producer].device),
                                  to_id<DeviceId>(op[consumer].device),
                                  request,
                                  start,
                                  finish});
    }
  }

  const PackedProblem* packed;
  std::vector<OpState> op;
  TimeHeap events;
  Trace* trace = nullptr;  ///< May be null.
};

}  // namespace berth::internal
