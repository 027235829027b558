// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/parallel_plan.hpp"
#include "berth/plan_score.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::launcher {

/// A plan as one HTML page that needs nothing else: what it is, the pipeline schedule, where each
/// stage's time goes, what fills its memory; drawings are SVG. `plan` has its score filled in.
[[nodiscard]] std::string plan_page(const StrategyProblem& problem,
                                    const ParallelPlan& plan,
                                    const PlanScore& score);

}  // namespace berth::launcher
