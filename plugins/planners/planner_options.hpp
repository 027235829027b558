// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/config.hpp"
#include "berth/plan_score.hpp"
#include "berth/plugin_abi.h"

namespace berth::planners {

// Rows that every planner shares: what the evaluator hides behind compute.
inline constexpr berth_option_spec kOverlapTransfer = {
    "overlap_transfer",
    BERTH_OPTION_REAL,
    "0",
    0,
    1,
    "",
    "",
    "Share of point-to-point time hidden behind compute."};
inline constexpr berth_option_spec kOverlapGradient = {
    "overlap_gradient",
    BERTH_OPTION_REAL,
    "0",
    0,
    1,
    "",
    "",
    "Share of gradient and ZeRO collectives hidden behind compute."};

inline constexpr berth_option_spec kCommonOptions[] = {kOverlapTransfer, kOverlapGradient};

[[nodiscard]] inline PlanRules rules_of(const Config& config) {
  return {config.real("overlap_transfer"), config.real("overlap_gradient")};
}

}  // namespace berth::planners
