// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pull_network.hpp"

#include <algorithm>

namespace berth::internal {

PullNetwork::PullNetwork(const PackedProblem& packed)
    : queues_(packed.num_devices), outgoing_(packed.num_devices), requested_(nullptr) {
  copies_.reserve(max_flows(packed));
}

std::size_t PullNetwork::max_flows(const PackedProblem& packed) noexcept {
  return std::min(packed.edges.size(), packed.num_ops * (packed.num_devices - 1));
}

void PullNetwork::reset() noexcept {
  copies_.clear();
  std::fill(queues_.begin(), queues_.end(), Queue{});
}

void PullNetwork::send(RunState& run, std::size_t producer, double now) {
  const PackedProblem& packed = *run.packed;
  requested_ = &outgoing_.gather(packed, run.op.data(), producer);
  for (const OutgoingTransfers::Transfer& transfer : *requested_) {
    const auto copy = static_cast<std::uint32_t>(copies_.size());
    copies_.push_back({static_cast<std::uint32_t>(producer),
                       transfer.to,
                       transfer.consumer,
                       kNone,
                       transfer.duration,
                       now});
    Queue& queue = queues_[transfer.to];
    (queue.first == kNone ? queue.first : copies_[queue.last].next) = copy;
    queue.last = copy;
  }
  const std::uint32_t from = run.op[producer].device;
  const std::uint64_t end = packed.ops[producer + 1].out_begin;
  for (std::uint64_t e = packed.ops[producer].out_begin; e < end; ++e) {
    const std::uint32_t target = packed.edges[e].target;
    if (run.op[target].device == from) {
      run.arrive(target, now);
    }
  }
}

bool PullNetwork::start_copy(RunState& run, std::uint32_t device, double now) {
  Queue& queue = queues_[device];
  if (queue.first == kNone) {
    return false;
  }
  const std::uint32_t id = queue.first;
  const Copy& copy = copies_[id];
  queue.first = copy.next;
  const double finish = now + copy.duration;
  run.events.push(event_key(finish, EventKind::kJoin, id));
  run.record_transfer(copy.producer, copy.consumer, copy.request, now, finish);
  return true;
}

void PullNetwork::join(RunState& run, std::size_t copy, double now) {
  const PackedProblem& packed = *run.packed;
  const std::size_t producer = copies_[copy].producer;
  const std::uint64_t end = packed.ops[producer + 1].out_begin;
  for (std::uint64_t e = packed.ops[producer].out_begin; e < end; ++e) {
    const std::uint32_t target = packed.edges[e].target;
    if (run.op[target].device == copies_[copy].to) {
      run.arrive(target, now);
    }
  }
}

}  // namespace berth::internal
