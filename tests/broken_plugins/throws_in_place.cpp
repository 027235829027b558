// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// place() fails with an ordinary exception.

#include <limits>
#include <stdexcept>

#include "function_policy.hpp"

namespace {
berth::Placement place(const berth::PlacementProblem& problem) {
  berth::Placement placement = berth::broken::all_on_first(problem);
  throw std::logic_error("lost op " + std::to_string(placement.device.size()));
}
}  // namespace

BERTH_FUNCTION_PLUGIN("throws-in-place", place)
