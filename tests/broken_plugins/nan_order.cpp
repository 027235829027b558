// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// An order that is not a number.

#include <limits>
#include <stdexcept>

#include "function_policy.hpp"

namespace {
berth::Placement place(const berth::PlacementProblem& problem) {
  berth::Placement placement = berth::broken::all_on_first(problem);
  placement.order.assign(problem.graph.num_ops(), std::numeric_limits<double>::quiet_NaN());
  return placement;
}
}  // namespace

BERTH_FUNCTION_PLUGIN("nan-order", place)
