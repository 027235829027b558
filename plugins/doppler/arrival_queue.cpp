// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "arrival_queue.hpp"

#include <algorithm>
#include <functional>

#include "berth/error.hpp"

namespace berth::doppler {

ArrivalQueue::ArrivalQueue(const Graph& graph) : graph_(&graph), missing_(graph.num_ops()) {
  heap_.reserve(graph.num_ops());
  for (std::uint32_t v = 0; v < missing_.size(); ++v) {
    missing_[v] = static_cast<std::uint32_t>(graph.predecessors(to_id<OpId>(v)).size());
    if (missing_[v] == 0) {
      insert(0.0, v);
    }
  }
}

void ArrivalQueue::insert(double arrival, std::uint32_t op) {
  heap_.emplace_back(arrival, op);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

std::uint32_t ArrivalQueue::take() {
  BERTH_DCHECK(!heap_.empty(), "no candidate is left");
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
  const std::uint32_t op = heap_.back().second;
  heap_.pop_back();
  return op;
}

void ArrivalQueue::assigned(const DeviceTimeline& timeline) {
  for (const OpId next : graph_->successors(to_id<OpId>(timeline.op()))) {
    const auto op = static_cast<std::uint32_t>(index(next));
    if (--missing_[op] == 0) {
      insert(timeline.least_arrival(op), op);
    }
  }
}

}  // namespace berth::doppler
