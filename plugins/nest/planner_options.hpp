// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/plugin_abi.h"

namespace berth::nest {

/// Every option of the planner; defaults are text, as a user would write them.
inline constexpr berth_option_spec kPlannerOptions[] = {
    {"mode",
     BERTH_OPTION_CHOICE,
     "default",
     0,
     0,
     "",
     "default,artifact",
     "Plan with consistent units and searched degrees, or as the authors' artifact does."},
    {"objective",
     BERTH_OPTION_CHOICE,
     "time",
     0,
     0,
     "",
     "time,cost,devices",
     "Mode default: least time per batch, least price per batch, or fewest devices that fit."},
    {"pin",
     BERTH_OPTION_TEXT,
     "",
     0,
     0,
     "",
     "",
     "Mode default: fixed degrees, for example tp=8,pp=4 (tp, pp, vpp, dp, cp, ep, sp, mbs, zero, "
     "packing, recompute, mixed). Exact for equal stages; vpp (chunks a device) is exact for up to "
     "12 "
     "layers; mixed (unequal stages) for up to 16 devices and coarser beyond, above 64 only if "
     "pinned."},
    {"overlap_transfer",
     BERTH_OPTION_REAL,
     "0",
     0,
     1,
     "",
     "",
     "Mode default: share of point-to-point time hidden behind compute."},
    {"overlap_gradient",
     BERTH_OPTION_REAL,
     "0",
     0,
     1,
     "",
     "",
     "Mode default: share of gradient and ZeRO collectives hidden behind compute."},
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
