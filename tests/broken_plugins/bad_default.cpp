// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// An option whose default is out of its own range.

#include "function_policy.hpp"

namespace {
constexpr berth_option_spec kOptions[] = {
    {"runs", BERTH_OPTION_INTEGER, "0", 1, 10, "", "", "Number of runs."}};
}

BERTH_PLUGIN("bad-default",
             "1.0",
             berth::offer<berth::PlacementPolicy,
                          berth::broken::make_function_policy<berth::broken::all_on_first>>(
                 "bad-default", "Broken.", kOptions))
