// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "reference_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "berth/error.hpp"

#include "deadlock.hpp"

namespace berth::internal {

ReferenceOrder::ReferenceOrder(const PackedProblem& packed)
    : packed_(&packed),
      op_(packed.num_ops),
      waiting_(packed),
      idle_(packed.num_devices),
      // An op and an edge have at most one event each, a device one Release for each op that ends.
      later_(packed.num_ops + packed.edges.size()),
      now_ring_(std::bit_ceil(2 * packed.num_ops + packed.edges.size() + 1)) {}

void ReferenceOrder::schedule_now(Kind kind, std::uint64_t id) noexcept {
  now_ring_[now_end_++ & (now_ring_.size() - 1)] = event(kind, id);
}

void ReferenceOrder::schedule_at(double time, Kind kind, std::uint64_t id) noexcept {
  if (time == now_) {
    schedule_now(kind, id);
    return;
  }
  heap_push(later_.data(), later_size_, Later{time_key(time, sequence_++), event(kind, id)});
}

void ReferenceOrder::serve(std::uint32_t device) noexcept {
  std::uint32_t op = 0;
  while (idle_[device] > 0 && waiting_.take(device, op)) {
    --idle_[device];
    schedule_now(Kind::kGrant, op);
  }
}

void ReferenceOrder::grant(std::size_t op) {
  const std::uint32_t device = op_[op].device;
  const double end = now_ + packed_->compute(op, device);
  if (trace_ != nullptr) {
    trace_->ops[op] = {to_id<OpId>(op), to_id<DeviceId>(device), 0, op_[op].ready, now_, end};
  }
  schedule_at(end, Kind::kDone, op);
}

void ReferenceOrder::finish(std::size_t op) {
  const std::uint32_t from = op_[op].device;
  for (std::uint64_t e = packed_->ops[op].out_begin; e < packed_->ops[op + 1].out_begin; ++e) {
    const PackedEdge& edge = packed_->edges[e];
    const std::uint32_t to = op_[edge.target].device;
    const double arrival = now_ + packed_->transfer(edge, from, to);
    if (trace_ != nullptr && from != to) {
      trace_->transfers.push_back({to_id<OpId>(op),
                                   to_id<OpId>(edge.target),
                                   to_id<DeviceId>(from),
                                   to_id<DeviceId>(to),
                                   now_,
                                   now_,
                                   arrival});
    }
    schedule_at(arrival, Kind::kArrive, e);
  }
}

void ReferenceOrder::handle(std::uint64_t what) {
  const auto kind = static_cast<Kind>(what >> 60U);
  const std::uint64_t id = what & ((std::uint64_t{1} << 60U) - 1);
  switch (kind) {
    case Kind::kReady:
      op_[id].ready = now_;
      waiting_.add(static_cast<std::uint32_t>(id), op_[id].device, requests_++);
      serve(op_[id].device);
      break;
    case Kind::kGrant:
      grant(id);
      break;
    case Kind::kDone:
      ++done_;
      finish_sum_ += now_;
      ++idle_[op_[id].device];
      schedule_now(Kind::kRelease, op_[id].device);
      schedule_now(Kind::kFinish, id);
      break;
    case Kind::kRelease:
      serve(static_cast<std::uint32_t>(id));
      break;
    case Kind::kFinish:
      finish(id);
      break;
    case Kind::kArrive:
      schedule_now(Kind::kCount, id);
      break;
    case Kind::kCount: {
      const std::uint32_t target = packed_->edges[id].target;
      if (--op_[target].pending == 0) {
        schedule_now(Kind::kReady, target);
      }
      break;
    }
  }
}

double ReferenceOrder::run(std::span<const DeviceId> device,
                           std::span<const double> order,
                           Discipline discipline,
                           Trace* trace) {
  trace_ = trace;
  later_size_ = 0;
  sequence_ = 0;
  now_first_ = 0;
  now_end_ = 0;
  now_ = 0.0;
  requests_ = 0.0;
  done_ = 0;
  finish_sum_ = 0.0;
  std::fill(idle_.begin(), idle_.end(), packed_->problem->execution.streams);
  for (std::size_t v = 0; v < op_.size(); ++v) {
    op_[v] = packed_->initial[v];
    op_[v].device = static_cast<std::uint32_t>(device[v]);
  }
  waiting_.reset(op_, order, discipline);
  for (const std::uint32_t v : packed_->sources) {
    schedule_now(Kind::kReady, v);
  }
  double makespan = 0.0;
  while (true) {
    const std::size_t done_before = done_;
    while (later_size_ > 0 && time_of(later_[0].time_and_sequence) == now_) {
      handle(heap_pop(later_.data(), later_size_).event);
    }
    while (now_first_ != now_end_) {
      handle(now_ring_[now_first_++ & (now_ring_.size() - 1)]);
    }
    makespan = done_ > done_before ? now_ : makespan;
    if (later_size_ == 0) {
      break;
    }
    now_ = time_of(later_[0].time_and_sequence);
  }
  if (done_ < packed_->num_ops) {
    BERTH_CHECK(discipline == Discipline::kStaticOrder,
                "only a static order can leave ops unfinished: " + explain_deadlock());
    return std::numeric_limits<double>::infinity();
  }
  return makespan;
}

std::string ReferenceOrder::explain_deadlock() const {
  return internal::explain_deadlock(*packed_, waiting_);
}

}  // namespace berth::internal
