// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"

namespace berth {
inline namespace abi_v1 {

/// Where each op runs, and optionally in which order each device takes its ops.
struct Placement {
  std::vector<DeviceId> device;  ///< [num_ops]
  /// [num_ops] or empty. Each device runs its ops by ascending `order` value (ties by id) where
  /// the execution honours it: see Discipline.
  std::vector<double> order;

  bool operator==(const Placement&) const = default;
};

/// 64-bit hash of the devices alone, for telling placements apart in tables.
[[nodiscard]] BERTH_API std::uint64_t placement_hash(std::span<const DeviceId> device) noexcept;

}  // namespace abi_v1
}  // namespace berth
