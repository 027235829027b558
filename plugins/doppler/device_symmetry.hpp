// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/problem.hpp"

namespace berth::doppler {

/// [devices] number of the group of devices that may be exchanged without any placement's makespan
/// changing: they compute, transfer and store alike, and under models with contention no link is
/// shared between routes. While such devices are empty, one stands for all. O(devices^3).
[[nodiscard]] std::vector<std::uint32_t> exchangeable_devices(const PlacementProblem& problem);

}  // namespace berth::doppler
