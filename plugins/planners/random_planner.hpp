// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

#include "planner_options.hpp"

namespace berth::planners {

inline constexpr berth_option_spec kRandomOptions[] = {
    {"evaluations", BERTH_OPTION_INTEGER, "2000", 1, 1e12, "", "", "Plans drawn and scored."},
    kOverlapTransfer,
    kOverlapGradient,
};

/// The best of plans drawn at random; seeded.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_random_planner(const HostServices& host);

/// Metropolis search (MCMC, as FlexFlow: Jia, Zaharia and Aiken, MLSys 2019) over cuts, degrees,
/// micro-batch, ZeRO, packing and recomputation per stage: the kernel's score is the energy, a plan
/// that does not fit is charged its overflow, the temperature falls geometrically. Seeded; the
/// budget is the number of scores, so that searchers are compared at equal budgets.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_mcmc(const HostServices& host);

inline constexpr berth_option_spec kMcmcOptions[] = {
    {"evaluations",
     BERTH_OPTION_INTEGER,
     "2000",
     1,
     1e12,
     "",
     "",
     "Plans scored, over all chains."},
    {"chains", BERTH_OPTION_INTEGER, "4", 1, 1e6, "", "", "Starts at random, each with its share."},
    {"temperature",
     BERTH_OPTION_REAL,
     "0.1",
     1e-9,
     1e9,
     "",
     "",
     "First temperature, as a share of the energy; the last is a thousandth of it."},
    kOverlapTransfer,
    kOverlapGradient,
};

}  // namespace berth::planners
