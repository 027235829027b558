// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

#include "berth/plan_score.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::launcher {

/// Two lines: which stage sets the pace and with what, and which device is fullest.
[[nodiscard]] std::string binding_text(const StrategyProblem& problem,
                                       const ParallelPlan& plan,
                                       const PlanScore& score);

/// Plans with more pins, "tp=4,zero=1", than the user's; no plans if nothing fits.
using PlanWithPins = std::function<StrategyAnswer(const std::string& pins)>;

/// For every choice of the best plan that `pins` (the user's) leave open, the best plan that
/// chooses otherwise, one line each: other tensor width, depth, chunks, micro-batch, ZeRO stage,
/// packing, recomputation, equal or unequal stages. Cost: a planning each.
[[nodiscard]] std::string otherwise_text(const StrategyProblem& problem,
                                         const ParallelPlan& best,
                                         const std::string& pins,
                                         const PlanWithPins& plan);

}  // namespace berth::launcher
