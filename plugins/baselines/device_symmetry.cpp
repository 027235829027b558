// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_symmetry.hpp"

namespace berth::baselines {
namespace {

bool same_compute(const CostTable& costs, std::size_t a, std::size_t b) {
  const std::size_t first = costs.device_class[a];
  const std::size_t second = costs.device_class[b];
  for (std::size_t row = 0; first != second && row < costs.class_compute.size();
       row += costs.num_classes) {
    if (costs.class_compute[row + first] != costs.class_compute[row + second]) {
      return false;
    }
  }
  return true;
}

bool same_links(const CostTable& costs, std::size_t a, std::size_t b) {
  const auto same = [&](std::size_t from, std::size_t to, std::size_t from2, std::size_t to2) {
    const std::size_t one = from * costs.num_devices + to;
    const std::size_t two = from2 * costs.num_devices + to2;
    return costs.latency[one] == costs.latency[two] &&
           costs.inverse_speed[one] == costs.inverse_speed[two];
  };
  for (std::size_t other = 0; other < costs.num_devices; ++other) {
    if (other != a && other != b && !(same(a, other, b, other) && same(other, a, other, b))) {
      return false;
    }
  }
  return same(a, b, b, a);
}

}  // namespace

std::vector<std::uint32_t> interchangeable_devices(const CostTable& costs) {
  std::vector<std::uint32_t> group(costs.num_devices);
  std::uint32_t groups = 0;
  for (std::size_t d = 0; d < costs.num_devices; ++d) {
    group[d] = groups;
    for (std::size_t other = 0; other < d; ++other) {
      if (costs.device_memory[d] == costs.device_memory[other] && same_compute(costs, d, other) &&
          same_links(costs, d, other)) {
        group[d] = group[other];
        break;
      }
    }
    groups += group[d] == groups ? 1U : 0U;
  }
  return group;
}

}  // namespace berth::baselines
