// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "nest_planner.hpp"
#include "planner_options.hpp"

BERTH_PLUGIN("nest",
             "0.1",
             berth::offer<berth::StrategyPlanner, berth::nest::make_planner>(
                 "nest",
                 "Network- and memory-aware plans for distributed training (NEST, 2026).",
                 berth::nest::kPlannerOptions))
