// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Forgets the last op.

#include <limits>
#include <stdexcept>

#include "function_policy.hpp"

namespace {
berth::Placement place(const berth::PlacementProblem& problem) {
  berth::Placement placement = berth::broken::all_on_first(problem);
  placement.device.pop_back();
  return placement;
}
}  // namespace

BERTH_FUNCTION_PLUGIN("wrong-size", place)
