// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "link_reservations.hpp"

namespace berth::internal {

LinkReservations::LinkReservations(const PackedProblem& packed)
    : devices_(packed.num_devices),
      shared_begin_(devices_ * devices_ + 1, 0),
      arrival_(devices_),
      outgoing_(devices_) {
  const Topology& topology = packed.problem->topology;
  const auto route = [&](std::size_t pair) {
    const auto from = to_id<DeviceId>(pair / devices_);
    const auto to = to_id<DeviceId>(pair % devices_);
    return from == to ? std::span<const LinkId>() : topology.route(from, to);
  };
  std::vector<std::uint32_t> users(topology.num_links(), 0);
  for (std::size_t pair = 0; pair < devices_ * devices_; ++pair) {
    for (const LinkId link : route(pair)) {
      ++users[index(link)];
    }
  }
  for (std::size_t pair = 0; pair < devices_ * devices_; ++pair) {
    for (const LinkId link : route(pair)) {
      if (users[index(link)] > 1) {
        shared_.push_back(static_cast<std::uint32_t>(2 * devices_ + index(link)));
      }
    }
    shared_begin_[pair + 1] = static_cast<std::uint32_t>(shared_.size());
  }
  until_.resize(2 * devices_ + topology.num_links());
}

}  // namespace berth::internal
