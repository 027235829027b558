// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/network_levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "berth/error.hpp"

#include "../base/hash.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

std::string place(std::size_t l) {
  return "network level " + std::to_string(l);
}

void check_level(const NetworkLevel& level, std::size_t l) {
  if (!(level.bandwidth_bytes_per_second > 0.0) ||
      !std::isfinite(level.bandwidth_bytes_per_second)) {
    throw InputError(place(l) + ": bandwidth " + std::to_string(level.bandwidth_bytes_per_second) +
                     " bytes/s; expected a positive number");
  }
  if (!(level.latency_seconds >= 0.0) || !std::isfinite(level.latency_seconds)) {
    throw InputError(place(l) + ": latency " + std::to_string(level.latency_seconds) +
                     " s; expected zero or a positive number");
  }
  if (!(level.uplink_bytes_per_second >= 0.0) || !std::isfinite(level.uplink_bytes_per_second)) {
    throw InputError(place(l) + ": uplink " + std::to_string(level.uplink_bytes_per_second) +
                     " bytes/s; expected zero (not shared) or a positive number");
  }
  if (level.parallel_links == 0) {
    throw InputError(place(l) + ": 0 parallel links; expected 1 or more");
  }
}

}  // namespace

NetworkLevels NetworkLevels::uniform(std::span<const std::uint32_t> units_per_level,
                                     std::vector<NetworkLevel> levels) {
  if (units_per_level.size() != levels.size()) {
    throw InputError("network: " + std::to_string(units_per_level.size()) + " group sizes for " +
                     std::to_string(levels.size()) + " levels; expected one each");
  }
  std::size_t devices = 1;
  for (std::size_t l = 0; l < units_per_level.size(); ++l) {
    if (units_per_level[l] == 0) {
      throw InputError(place(l) + ": groups of 0; expected 1 or more");
    }
    devices *= units_per_level[l];
    if (devices > 1'000'000) {
      throw InputError(place(l) + ": more than a million devices; check the group sizes");
    }
  }
  std::vector<std::vector<std::uint32_t>> unit_of(levels.size());
  std::size_t size = 1;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    size *= units_per_level[l];
    unit_of[l].resize(devices);
    for (std::size_t d = 0; d < devices; ++d) {
      unit_of[l][d] = static_cast<std::uint32_t>(d / size);
    }
  }
  return {std::move(levels), std::move(unit_of)};
}

NetworkLevels::NetworkLevels(std::vector<NetworkLevel> levels,
                             std::vector<std::vector<std::uint32_t>> unit_of)
    : levels_(std::move(levels)), unit_of_(std::move(unit_of)) {
  if (levels_.empty() || levels_.size() != unit_of_.size() || unit_of_.front().empty()) {
    throw InputError("network: no level or no device; expected at least one of each");
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    check_level(levels_[l], l);
    if (unit_of_[l].size() != num_devices()) {
      throw InputError(place(l) + ": units for " + std::to_string(unit_of_[l].size()) +
                       " devices; expected " + std::to_string(num_devices()));
    }
    std::set<std::uint32_t> left;
    for (std::size_t d = 1; d < num_devices(); ++d) {
      if (unit_of_[l][d] != unit_of_[l][d - 1]) {
        left.insert(unit_of_[l][d - 1]);
        if (left.count(unit_of_[l][d]) > 0) {
          throw InputError(place(l) + ": device " + std::to_string(d) +
                           " is back in a unit that ended before; expected consecutive devices");
        }
      }
    }
    if (l == 0) {
      continue;
    }
    std::map<std::uint32_t, std::uint32_t> parent;
    for (std::size_t d = 0; d < num_devices(); ++d) {
      const auto [at, fresh] = parent.emplace(unit_of_[l - 1][d], unit_of_[l][d]);
      if (!fresh && at->second != unit_of_[l][d]) {
        throw InputError(place(l) + ": device " + std::to_string(d) +
                         " leaves the unit of its neighbours below; expected nested units");
      }
    }
  }
  for (const std::uint32_t unit : unit_of_.back()) {
    if (unit != unit_of_.back().front()) {
      throw InputError(place(levels_.size() - 1) +
                       ": more than one unit; expected one that holds "
                       "all devices");
    }
  }
}

std::size_t NetworkLevels::level_between(std::size_t x, std::size_t y) const {
  std::size_t l = 0;
  while (unit_of_[l][x] != unit_of_[l][y]) {
    ++l;
  }
  return l;
}

std::size_t NetworkLevels::largest_unit(std::size_t l) const {
  std::map<std::uint32_t, std::size_t> sizes;
  std::size_t largest = 0;
  for (const std::uint32_t unit : unit_of_[l]) {
    largest = std::max(largest, ++sizes[unit]);
  }
  return largest;
}

double NetworkLevels::bandwidth(std::size_t l, std::size_t ranks) const {
  const NetworkLevel& level = levels_[l];
  if (level.uplink_bytes_per_second == 0.0 || ranks == 0) {
    return level.bandwidth_bytes_per_second;
  }
  return std::min(level.bandwidth_bytes_per_second,
                  level.uplink_bytes_per_second / static_cast<double>(ranks));
}

std::uint64_t NetworkLevels::hash() const {
  internal::Hasher hasher;
  hasher.word(num_devices());
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    hasher.number(levels_[l].bandwidth_bytes_per_second);
    hasher.number(levels_[l].latency_seconds);
    hasher.number(levels_[l].uplink_bytes_per_second);
    hasher.word(levels_[l].parallel_links);
    for (const std::uint32_t unit : unit_of_[l]) {
      hasher.word(unit);
    }
  }
  return hasher.value();
}

}  // namespace abi_v1
}  // namespace berth
