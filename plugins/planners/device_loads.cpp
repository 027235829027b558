// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_loads.hpp"

#include <algorithm>
#include <cmath>

namespace berth::planners {

DeviceLoads::DeviceLoads(const PartitionProblem& problem)
    : problem_(problem),
      touching_(problem.nodes.size()),
      ends_(problem.transfers.size(),
            std::vector<std::uint32_t>(problem.accelerators + problem.hosts, 0)),
      seconds_(problem.accelerators + problem.hosts, 0.0),
      bytes_(seconds_.size(), 0.0) {
  for (std::uint32_t t = 0; t < problem.transfers.size(); ++t) {
    touching_[problem.transfers[t].from].push_back(t);
    for (const std::uint32_t to : problem.transfers[t].to) {
      touching_[to].push_back(t);
    }
  }
}

bool DeviceLoads::can_run(std::uint32_t node, std::size_t device) const {
  return is_host(device) ? std::isfinite(problem_.nodes[node].host_seconds)
                         : !problem_.nodes[node].variants[0].empty();
}

void DeviceLoads::place(std::uint32_t node, std::size_t device) {
  if (is_host(device)) {
    seconds_[device] += problem_.nodes[node].host_seconds;
    return;
  }
  seconds_[device] += problem_.nodes[node].variants[0][0].seconds;
  bytes_[device] += problem_.nodes[node].variants[0][0].fixed_bytes;
  for (const std::uint32_t transfer : touching_[node]) {
    charge(transfer, device, -1.0);
    ++ends_[transfer][device];
    charge(transfer, device, +1.0);
  }
}

void DeviceLoads::lift(std::uint32_t node, std::size_t device) {
  if (is_host(device)) {
    seconds_[device] -= problem_.nodes[node].host_seconds;
    return;
  }
  seconds_[device] -= problem_.nodes[node].variants[0][0].seconds;
  bytes_[device] -= problem_.nodes[node].variants[0][0].fixed_bytes;
  for (const std::uint32_t transfer : touching_[node]) {
    charge(transfer, device, -1.0);
    --ends_[transfer][device];
    charge(transfer, device, +1.0);
  }
}

void DeviceLoads::clear() {
  for (std::vector<std::uint32_t>& ends : ends_) {
    std::fill(ends.begin(), ends.end(), 0);
  }
  std::fill(seconds_.begin(), seconds_.end(), 0.0);
  std::fill(bytes_.begin(), bytes_.end(), 0.0);
}

void DeviceLoads::charge(std::uint32_t transfer, std::size_t device, double sign) {
  const std::uint32_t inside = ends_[transfer][device];
  if (inside > 0 && inside < 1 + problem_.transfers[transfer].to.size()) {
    seconds_[device] += sign * problem_.transfers[transfer].seconds;
  }
}

}  // namespace berth::planners
