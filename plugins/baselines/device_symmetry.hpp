// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/cost_table.hpp"

namespace berth::baselines {

/// Groups devices that can be exchanged in any placement without changing its makespan: equal
/// compute times, memory and transfer costs to every other device.
/// @return [devices] group of each device, numbered by first member. Cost O(devices^3 + ops *
///         classes).
[[nodiscard]] std::vector<std::uint32_t> interchangeable_devices(const CostTable& costs);

}  // namespace berth::baselines
