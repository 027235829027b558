// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

#include "planner_options.hpp"

namespace berth::planners {

inline constexpr berth_option_spec kExhaustiveOptions[] = {
    {"evaluations",
     BERTH_OPTION_INTEGER,
     "1000000",
     1,
     1e12,
     "",
     "",
     "Most plans to score; a problem with more is refused."},
    kOverlapTransfer,
    kOverlapGradient,
};

/// Every plan with equal stages' degrees: configurations, stages, replicas, ZeRO, packing, cuts and
/// recomputation per stage, each scored by the kernel. For small problems, as an oracle.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_exhaustive_planner(const HostServices& host);

}  // namespace berth::planners
