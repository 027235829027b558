// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "berth/topology.hpp"

namespace berth::executors {

/// When emulated links are free: the rule of the simulator's `links`. A transfer holds the sender's
/// copy engine, the receiver's, and every link of its route for its whole duration, first come
/// first served. Thread-safe.
class LinkClock {
 public:
  explicit LinkClock(const Topology& topology)
      : topology_(&topology),
        out_(topology.num_devices()),
        in_(topology.num_devices()),
        link_(topology.num_links()) {}

  void reset() {
    std::ranges::fill(out_, 0.0);
    std::ranges::fill(in_, 0.0);
    std::ranges::fill(link_, 0.0);
  }

  struct Slot {
    double start = 0.0;
    double finish = 0.0;
  };
  /// Reserves the route for `seconds` from the earliest start at or after `now`.
  Slot reserve(std::uint32_t from, std::uint32_t to, double now, double seconds) {
    const auto route = topology_->route(to_id<DeviceId>(from), to_id<DeviceId>(to));
    const std::lock_guard held(lock_);
    double start = std::max(now, std::max(out_[from], in_[to]));
    for (const LinkId link : route) {
      start = std::max(start, link_[index(link)]);
    }
    const double finish = start + seconds;
    out_[from] = finish;
    in_[to] = finish;
    for (const LinkId link : route) {
      link_[index(link)] = finish;
    }
    return {start, finish};
  }

 private:
  const Topology* topology_;
  std::mutex lock_;
  std::vector<double> out_;
  std::vector<double> in_;
  std::vector<double> link_;
};

}  // namespace berth::executors
