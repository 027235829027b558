// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_symmetry.hpp"

#include <utility>

namespace berth::doppler {
namespace {

bool has_shared_links(const PlacementProblem& problem) {
  if (problem.execution.model == ExecutionModel::kDelay ||
      problem.execution.model == ExecutionModel::kDopplerReference) {
    return false;
  }
  std::vector<char> used(problem.topology.num_links(), 0);
  const std::size_t devices = problem.topology.num_devices();
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a == b) {
        continue;
      }
      for (const LinkId link : problem.topology.route(to_id<DeviceId>(a), to_id<DeviceId>(b))) {
        if (std::exchange(used[index(link)], 1) != 0) {
          return true;
        }
      }
    }
  }
  return false;
}

/// Whether the cost table stays the same when a and b change places.
bool exchangeable(const CostTable& costs, std::size_t a, std::size_t b) {
  if (costs.device_class[a] != costs.device_class[b] ||
      costs.device_memory[a] != costs.device_memory[b]) {
    return false;
  }
  const std::size_t devices = costs.num_devices;
  const auto swapped = [&](std::size_t d) { return d == a ? b : (d == b ? a : d); };
  const auto row_is_kept = [&](std::size_t from, std::size_t to) {
    const std::size_t pair = from * devices + to;
    const std::size_t image = swapped(from) * devices + swapped(to);
    return costs.latency[pair] == costs.latency[image] &&
           costs.inverse_speed[pair] == costs.inverse_speed[image];
  };
  for (std::size_t d = 0; d < devices; ++d) {
    for (const std::size_t end : {a, b}) {
      if (d != end && !(row_is_kept(d, end) && row_is_kept(end, d))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> exchangeable_devices(const PlacementProblem& problem) {
  const std::size_t devices = problem.topology.num_devices();
  std::vector<std::uint32_t> group(devices);
  const bool contended = has_shared_links(problem);
  for (std::uint32_t d = 0; d < devices; ++d) {
    group[d] = d;
    for (std::uint32_t other = 0; other < d && !contended; ++other) {
      if (group[other] == other && exchangeable(problem.costs, other, d)) {
        group[d] = other;
        break;
      }
    }
  }
  return group;
}

}  // namespace berth::doppler
