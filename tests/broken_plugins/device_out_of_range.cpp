// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A device behind the last one.

#include <limits>
#include <stdexcept>

#include "function_policy.hpp"

namespace {
berth::Placement place(const berth::PlacementProblem& problem) {
  berth::Placement placement = berth::broken::all_on_first(problem);
  placement.device.back() = berth::to_id<berth::DeviceId>(problem.topology.num_devices());
  return placement;
}
}  // namespace

BERTH_FUNCTION_PLUGIN("device-out-of-range", place)
