// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/parallel_plan.hpp"
#include "berth/strategy_planner.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::launcher {

/// One line: degrees, stages, devices, time.
[[nodiscard]] std::string plan_headline(const StrategyProblem& problem, const ParallelPlan& plan);

/// The stages as a table for people: layers, devices, where the time goes, why the memory fits.
[[nodiscard]] std::string plan_table(const StrategyProblem& problem, const ParallelPlan& plan);

/// Price of one hour of all devices that the plan uses, in the currency of the device classes.
[[nodiscard]] double price_per_hour(const StrategyProblem& problem, const ParallelPlan& plan);

/// What an answer without a plan says. @throws SolverError with the reasons.
[[noreturn]] void refuse_infeasible(const StrategyAnswer& answer);

}  // namespace berth::launcher
