// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "event_list.hpp"

#include "berth/error.hpp"

#include "deadlock.hpp"
#include "delay_network.hpp"
#include "fair_sharing.hpp"
#include "link_reservations.hpp"
#include "pull_network.hpp"

namespace berth::internal {

template <class Network>
EventList<Network>::EventList(const PackedProblem& packed)
    : packed_(&packed),
      network_(packed),
      run_(packed, Network::max_flows(packed)),
      waiting_(packed),
      idle_(packed.num_devices),
      is_touched_(packed.num_devices) {
  touched_.reserve(packed.num_devices);
}

template <class Network>
void EventList<Network>::touch(std::uint32_t device) {
  if (is_touched_[device] == 0) {
    is_touched_[device] = 1;
    touched_.push_back(device);
  }
}

template <class Network>
void EventList<Network>::handle_events(double now) {
  while (!run_.events.empty() && time_of(run_.events.top()) == now) {
    const TimeKey key = run_.events.pop();
    const auto id = static_cast<std::uint32_t>(id_of(key));
    if (kind_of(key) == EventKind::kJoin) {
      if constexpr (Network::kCopiesOnDevices) {
        const std::uint32_t to = network_.device_of(id);
        ++idle_[to];
        touch(to);
      }
      network_.join(run_, id, now);
      continue;
    }
    const std::uint32_t device = run_.op[id].device;
    touch(device);
    if (kind_of(key) == EventKind::kReady) {
      waiting_.add(id, device, run_.op[id].ready);
      continue;
    }
    ++done_;
    finish_sum_ += now;
    ++idle_[device];
    network_.send(run_, id, now);
    if constexpr (Network::kCopiesOnDevices) {
      for (const auto& transfer : network_.requested()) {
        touch(transfer.to);
      }
    }
  }
}

template <class Network>
void EventList<Network>::start_ops(double now) {
  for (const std::uint32_t device : touched_) {
    is_touched_[device] = 0;
    if constexpr (Network::kCopiesOnDevices) {
      while (idle_[device] > 0 && network_.start_copy(run_, device, now)) {
        --idle_[device];
      }
    }
    std::uint32_t op = 0;
    while (idle_[device] > 0 && waiting_.take(device, op)) {
      --idle_[device];
      const double finish = now + packed_->compute(op, device);
      run_.events.push(event_key(finish, EventKind::kFinish, op));
      if (run_.trace != nullptr) {
        run_.trace->ops[op] = {
            to_id<OpId>(op), to_id<DeviceId>(device), 0, run_.op[op].ready, now, finish};
      }
    }
  }
  touched_.clear();
}

template <class Network>
double EventList<Network>::run(std::span<const DeviceId> device,
                               std::span<const double> order,
                               Discipline discipline,
                               Trace* trace) {
  run_.reset(device, trace);
  network_.reset();
  waiting_.reset(run_.op, order, discipline);
  std::fill(idle_.begin(), idle_.end(), packed_->problem->execution.streams);
  done_ = 0;
  finish_sum_ = 0.0;
  double makespan = 0.0;
  while (true) {
    const double next = run_.events.empty() ? kInfinity : time_of(run_.events.top());
    const double now = std::min(next, network_.next_time());
    if (now == kInfinity) {
      break;
    }
    const std::size_t done_before = done_;
    do {
      handle_events(now);
      network_.advance(run_, now);
    } while (!run_.events.empty() && time_of(run_.events.top()) == now);
    makespan = done_ > done_before ? now : makespan;
    start_ops(now);
  }
  if (done_ < packed_->num_ops) {
    BERTH_CHECK(discipline == Discipline::kStaticOrder,
                "only a static order can leave ops unfinished: " + explain_deadlock());
    return kInfinity;
  }
  return makespan;
}

template <class Network>
std::string EventList<Network>::explain_deadlock() const {
  return internal::explain_deadlock(*packed_, waiting_);
}

template class EventList<DelayNetwork>;
template class EventList<LinkReservations>;
template class EventList<FairSharing>;
template class EventList<PullNetwork>;

}  // namespace berth::internal
