// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "links_fifo.hpp"

#include <algorithm>

#include "run_state.hpp"

namespace berth::internal {

LinksFifo::LinksFifo(const PackedProblem& packed)
    : packed_(&packed),
      links_(packed),
      state_(packed.num_ops),
      free_(packed.num_devices),
      events_(short_or_long_queue(packed, 2 * packed.num_ops)) {}

template <class Queue>
double LinksFifo::run_with(std::span<const DeviceId> device, Queue& events) {
  const PackedProblem& packed = *packed_;
  OpState* const state = state_.data();
  for (std::size_t v = 0; v < packed.num_ops; ++v) {
    state[v] = packed.initial[v];
    state[v].device = static_cast<std::uint32_t>(device[v]);
  }
  std::fill(free_.begin(), free_.end(), 0.0);
  events.clear();
  links_.reset();
  double finish_sum = 0.0;

  const auto deliver = [&](std::uint32_t target, double time) {
    OpState& to = state[target];
    to.ready = std::max(to.ready, time);
    if (--to.pending == 0) {
      events.push(event_key(to.ready, EventKind::kReady, target));
    }
  };
  const auto send = [&](std::size_t v, double now) {
    links_.route_outputs(
        packed, state, v, now, deliver, [](const OutgoingTransfers::Transfer&, double) {});
  };
  const auto execute = [&](std::size_t v, double ready) {
    const std::uint32_t from = state[v].device;
    const double finish = std::max(free_[from], ready) + packed.compute(v, from);
    free_[from] = finish;
    finish_sum += finish;
    const std::uint64_t begin = packed.ops[v].out_begin;
    const std::uint64_t end = packed.ops[v + 1].out_begin;
    const bool sends = std::any_of(
        packed.edges.data() + begin, packed.edges.data() + end, [&](const PackedEdge& edge) {
          return state[edge.target].device != from;
        });
    if (sends) {
      events.push(event_key(finish, EventKind::kFinish, v));
      return;
    }
    for (std::uint64_t e = begin; e < end; ++e) {
      deliver(packed.edges[e].target, finish);
    }
  };
  for (const std::uint32_t v : packed.sources) {
    execute(v, 0.0);
  }
  while (!events.empty()) {
    const TimeKey key = events.pop();
    if (kind_of(key) == EventKind::kFinish) {
      send(id_of(key), time_of(key));
    } else {
      execute(id_of(key), time_of(key));
    }
  }
  finish_sum_ = finish_sum;
  return *std::max_element(free_.begin(), free_.end());
}

double LinksFifo::run(std::span<const DeviceId> device) {
  return std::visit([&](auto& events) { return run_with(device, events); }, events_);
}

}  // namespace berth::internal
