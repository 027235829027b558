// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::planners {

/// Every degree that NEST searches, but layers dealt evenly and one recomputation for all stages:
/// what a grid search over a framework's command line can reach. Exact over that space; degrees
/// that compute alone makes slower than the best so far are not scored.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_uniform(const HostServices& host);

}  // namespace berth::planners
