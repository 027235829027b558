// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/plugin_abi.h"

namespace berth::nest {

/// Every option of the planner; defaults are text, as a user would write them.
inline constexpr berth_option_spec kPlannerOptions[] = {
    {"update",
     BERTH_OPTION_CHOICE,
     "exact",
     0,
     0,
     "",
     "artifact,exact",
     "Mode artifact: the artifact's recurrence, or the true minimum."},
    {"recompute_cost",
     BERTH_OPTION_CHOICE,
     "backward",
     0,
     0,
     "",
     "backward,forward",
     "Mode artifact: what computing a stage again costs."},
    {"fill",
     BERTH_OPTION_CHOICE,
     "max",
     0,
     0,
     "",
     "max,sum",
     "Mode artifact: fill and drain cost (S-1) slowest stages, or the sum of the stages."},
};

}  // namespace berth::nest
