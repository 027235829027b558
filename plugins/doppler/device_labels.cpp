// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_labels.hpp"

#include <algorithm>

namespace berth::doppler {

DeviceLabels::DeviceLabels(const ProblemView& view, std::span<const DeviceId> placement)
    : view_(&view),
      placement_(placement),
      stands_for_(view.num_devices()),
      taken_(view.num_devices()) {
  reset();
}

void DeviceLabels::reset() {
  std::fill(stands_for_.begin(), stands_for_.end(), kUnknown);
  std::fill(taken_.begin(), taken_.end(), std::uint8_t{0});
}

std::uint32_t DeviceLabels::device(const DeviceTimeline& timeline) {
  const auto wanted = static_cast<std::uint32_t>(index(placement_[timeline.op()]));
  std::uint32_t& label = stands_for_[wanted];
  if (label != kUnknown) {
    return label;
  }
  const std::uint32_t group = view_->exchangeable[wanted];
  std::uint32_t fallback = kUnknown;
  for (std::uint32_t d = 0; d < taken_.size() && label == kUnknown; ++d) {
    if (taken_[d] != 0 || view_->exchangeable[d] != group) {
      continue;
    }
    if (timeline.count(d) == 0) {
      label = d;
    } else if (fallback == kUnknown) {
      fallback = d;
    }
  }
  label = label == kUnknown ? fallback : label;
  taken_[label] = 1;
  return label;
}

}  // namespace berth::doppler
