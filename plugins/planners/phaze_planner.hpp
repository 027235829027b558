// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::planners {

/// Like Phaze (Wang et al., "Integrated hardware architecture and device placement search", ICML
/// 2024): the best cuts for every degree by dynamic programming on the slowest stage, in the belief
/// that all devices hang on one flat network as fast as its slowest link. The true network is only
/// met when the plan is scored. Differs: no search for hardware; ZeRO, recomputation and uneven
/// stages as the other planners have them, so that what the flat view costs can be seen alone.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_phaze(const HostServices& host);

}  // namespace berth::planners
