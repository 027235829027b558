// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "delay_fifo.hpp"

#include <algorithm>

namespace berth::internal {

DelayFifo::DelayFifo(const PackedProblem& packed)
    : packed_(&packed),
      state_(packed.num_ops),
      free_(packed.num_devices),
      ready_(short_or_long_queue(packed, packed.num_ops - packed.sources.size())) {}

template <bool kPlainLinks, bool kOneClass, class Queue>
double DelayFifo::run_as(std::span<const DeviceId> device, Queue& queue) {
  const PackedProblem& packed = *packed_;
  const PackedOp* const ops = packed.ops.data();
  const PackedEdge* const edges = packed.edges.data();
  OpState* const state = state_.data();
  double* const free = free_.data();
  for (std::size_t v = 0; v < packed.num_ops; ++v) {
    state[v] = packed.initial[v];
    state[v].device = static_cast<std::uint32_t>(device[v]);
  }
  std::fill(free_.begin(), free_.end(), 0.0);
  queue.clear();
  double finish_sum = 0.0;

  const auto execute = [&](std::size_t v, double ready) {
    const std::uint32_t from = state[v].device;
    const double compute = kOneClass ? ops[v].compute : packed.compute(v, from);
    const double finish = std::max(free[from], ready) + compute;
    free[from] = finish;
    finish_sum += finish;
    for (std::uint64_t e = ops[v].out_begin; e < ops[v + 1].out_begin; ++e) {
      const PackedEdge& edge = edges[e];
      OpState& to = state[edge.target];
      const double transfer = kPlainLinks ? (from == to.device ? 0.0 : edge.size)
                                          : packed.transfer(edge, from, to.device);
      to.ready = std::max(to.ready, finish + transfer);
      if (--to.pending == 0) {
        queue.push(time_key(to.ready, edge.target));
      }
    }
  };
  for (const std::uint32_t v : packed.sources) {
    execute(v, 0.0);
  }
  while (!queue.empty()) {
    const TimeKey key = queue.pop();
    execute(tag_of(key), time_of(key));
  }
  finish_sum_ = finish_sum;
  return *std::max_element(free_.begin(), free_.end());
}

template <class Queue>
double DelayFifo::run_with(std::span<const DeviceId> device, Queue& queue) {
  const bool one_class = packed_->num_classes == 1;
  if (packed_->plain_links) {
    return one_class ? run_as<true, true>(device, queue) : run_as<true, false>(device, queue);
  }
  return one_class ? run_as<false, true>(device, queue) : run_as<false, false>(device, queue);
}

double DelayFifo::run(std::span<const DeviceId> device) {
  return std::visit([&](auto& queue) { return run_with(device, queue); }, ready_);
}

}  // namespace berth::internal
