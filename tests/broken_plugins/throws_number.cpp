// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// create() throws an object that is no std::exception.

#include <stdexcept>

#include "function_policy.hpp"

namespace {
std::unique_ptr<berth::PlacementPolicy> make(const berth::HostServices& /*host*/) {
  throw 42;
}
}  // namespace

BERTH_PLUGIN("throws-number",
             "1.0",
             berth::offer<berth::PlacementPolicy, make>("throws-number", "Broken.", {}))
