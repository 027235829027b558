// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "berth/network_levels.hpp"

namespace berth::planners {

/// The same devices on one level: bandwidth of the narrowest link, latency of the slowest, as
/// planners see a network that know no levels.
[[nodiscard]] inline NetworkLevels flat_network(const NetworkLevels& network) {
  NetworkLevel level{"flat", std::numeric_limits<double>::infinity(), 0.0, 0.0, 1};
  for (std::size_t l = 0; l < network.num_levels(); ++l) {
    level.bandwidth_bytes_per_second =
        std::min(level.bandwidth_bytes_per_second, network.level(l).bandwidth_bytes_per_second);
    level.latency_seconds = std::max(level.latency_seconds, network.level(l).latency_seconds);
  }
  const std::array<std::uint32_t, 1> size = {static_cast<std::uint32_t>(network.num_devices())};
  return NetworkLevels::uniform(size, {level});
}

}  // namespace berth::planners
