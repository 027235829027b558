// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "nest_planner.hpp"
#include "operators/nest_operators.hpp"
#include "planner_options.hpp"

namespace {
// Of the two overloads the one that plugins are created by.
constexpr std::unique_ptr<berth::OperatorScheduler> (*kMakeOperators)(const berth::HostServices&) =
    berth::nest::make_operator_scheduler;
}  // namespace

BERTH_PLUGIN("nest",
             "0.1",
             berth::offer<berth::StrategyPlanner, berth::nest::make_planner>(
                 "nest",
                 "Network- and memory-aware plans for distributed training (NEST, 2026).",
                 berth::nest::kPlannerOptions),
             berth::offer<berth::OperatorScheduler, kMakeOperators>(
                 "nest",
                 "Schedules of one layer's operators on one accelerator, with a certificate.",
                 {}))
