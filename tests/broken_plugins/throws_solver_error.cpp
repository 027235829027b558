// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// create() fails with an error of a category.

#include <stdexcept>

#include "function_policy.hpp"

namespace {
std::unique_ptr<berth::PlacementPolicy> make(const berth::HostServices& /*host*/) {
  throw berth::SolverError("no licence");
}
}  // namespace

BERTH_PLUGIN("throws-solver-error",
             "1.0",
             berth::offer<berth::PlacementPolicy, make>("throws-solver-error", "Broken.", {}))
