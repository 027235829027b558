// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/placement.hpp"

#include "device_timeline.hpp"

namespace berth::doppler {

/// Plays a given placement under other device numbers: where empty exchangeable devices count as
/// one, the first op on a device goes to the one that stands for them, and the rest follow it.
class DeviceLabels {
 public:
  DeviceLabels(const ProblemView& view, std::span<const DeviceId> placement);

  void reset();
  /// The device that stands for that of the op `timeline` looks at.
  [[nodiscard]] std::uint32_t device(const DeviceTimeline& timeline);

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffffU;

  const ProblemView* view_;
  std::span<const DeviceId> placement_;
  std::vector<std::uint32_t> stands_for_;  ///< [devices] by number in the placement
  std::vector<std::uint8_t> taken_;        ///< [devices] by number here
};

}  // namespace berth::doppler
