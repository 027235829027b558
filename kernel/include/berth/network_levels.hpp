// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// The link that devices use when the innermost unit they share is a unit of this level.
struct NetworkLevel {
  std::string name;                         ///< "nvlink", "leaf", "spine", "torus-x", ...
  double bandwidth_bytes_per_second = 0.0;  ///< One device alone, one direction.
  double latency_seconds = 0.0;             ///< One message, end to end.
  /// Capacity of the uplink that all devices of one unit of the level below share; 0: every device
  /// has its own link, so that nothing is shared.
  double uplink_bytes_per_second = 0.0;
  std::uint32_t parallel_links = 1;  ///< Links a ring may use at once: 2 in a torus dimension.

  bool operator==(const NetworkLevel&) const = default;
};

/// A network as a tree of nested units: level 0 is innermost; a unit of the last level holds all
/// devices. Units of one level may have different sizes; a unit is a run of consecutive devices, so
/// that device numbers follow the network (refused otherwise). The abstraction of Nest (2026), sec.
/// 3; a torus is given as its dimensions, innermost first.
class BERTH_API NetworkLevels {
 public:
  NetworkLevels() = default;

  /// Equal units: a unit of level l holds units_per_level[l] units of level l-1 (devices at l = 0).
  /// @throws InputError if a count is zero, a bandwidth or latency is not finite, positive
  /// (latency:
  ///         not negative), or the sizes differ.
  static NetworkLevels uniform(std::span<const std::uint32_t> units_per_level,
                               std::vector<NetworkLevel> levels);

  /// Any tree: unit_of[l][device] is the unit of level l that holds a device. The devices of a unit
  /// must be consecutive, units must nest, and the last level must be one unit. @throws InputError
  /// naming level and device.
  NetworkLevels(std::vector<NetworkLevel> levels, std::vector<std::vector<std::uint32_t>> unit_of);

  [[nodiscard]] std::size_t num_devices() const noexcept {
    return unit_of_.empty() ? 0 : unit_of_.front().size();
  }
  [[nodiscard]] std::size_t num_levels() const noexcept { return levels_.size(); }
  [[nodiscard]] const NetworkLevel& level(std::size_t l) const { return levels_[l]; }
  [[nodiscard]] std::uint32_t unit_of(std::size_t l, std::size_t device) const {
    return unit_of_[l][device];
  }

  /// Level of the innermost unit that holds both devices; 0 for a device and itself.
  [[nodiscard]] std::size_t level_between(std::size_t x, std::size_t y) const;

  /// Most devices in one unit of level l.
  [[nodiscard]] std::size_t largest_unit(std::size_t l) const;

  /// Bytes per second that each of `ranks` devices of one unit below level l gets when all of them
  /// send across level l at once.
  [[nodiscard]] double bandwidth(std::size_t l, std::size_t ranks) const;

  /// 64-bit hash of levels and units.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  std::vector<NetworkLevel> levels_;
  std::vector<std::vector<std::uint32_t>> unit_of_;
};

}  // namespace abi_v1
}  // namespace berth
