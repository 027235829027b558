// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// create() fails with an ordinary exception.

#include <stdexcept>

#include "function_policy.hpp"

namespace {
std::unique_ptr<berth::PlacementPolicy> make(const berth::HostServices& /*host*/) {
  throw std::runtime_error("the table is empty");
}
}  // namespace

BERTH_PLUGIN("throws-in-create",
             "1.0",
             berth::offer<berth::PlacementPolicy, make>("throws-in-create", "Broken.", {}))
