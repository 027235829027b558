// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// place() throws an object that is no std::exception.

#include <limits>
#include <stdexcept>

#include "function_policy.hpp"

namespace {
berth::Placement place(const berth::PlacementProblem& problem) {
  berth::Placement placement = berth::broken::all_on_first(problem);
  throw static_cast<int>(placement.device.size());
}
}  // namespace

BERTH_FUNCTION_PLUGIN("throws-number-in-place", place)
