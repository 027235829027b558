// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Calls a function that no library defines.

#include "function_policy.hpp"

extern "C" int berth_test_function_that_no_library_defines();

namespace {
berth::Placement place(const berth::PlacementProblem& problem) {
  berth_test_function_that_no_library_defines();
  return berth::broken::all_on_first(problem);
}
}  // namespace

BERTH_FUNCTION_PLUGIN("undefined-symbol", place)
