// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>

#include "berth/host_services.hpp"
#include "berth/plugin_abi.h"
#include "berth/strategy_planner.hpp"

namespace berth::nest {

/// The options of the planner `nest`.
[[nodiscard]] std::span<const berth_option_spec> planner_options();

/// The planner `nest`; reads its options from `host.config`.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_planner(const HostServices& host);

}  // namespace berth::nest
