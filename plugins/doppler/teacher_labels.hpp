// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device_timeline.hpp"

namespace berth::doppler {

/// CRITICAL PATH as a teacher (section 4 of the paper): pick the candidate with the longest path
/// to exit, put it on the device where it is done first: on devices that compute alike, as the
/// paper's do, where it can start first. Ties are all right answers.
///
/// @param out set to the positions in `candidates` with the largest b-level.
void teacher_picks(const ProblemView& view,
                   std::span<const std::uint32_t> candidates,
                   std::vector<std::uint32_t>& out);

/// @param out set to the legal devices with the least EST plus time there of the op looked at.
void teacher_devices(const DeviceTimeline& timeline, std::vector<std::uint32_t>& out);

}  // namespace berth::doppler
