// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>

#include "berth/parallel_plan.hpp"
#include "berth/plan_score.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::datasets {

/// The plan with the times and memory of a score.
[[nodiscard]] ParallelPlan with_score(const ParallelPlan& plan, const PlanScore& score);

/// A plan as one line of JSON (format berth-plan, version 1): degrees, stages with seconds and
/// bytes, devices, predicted time, and the hashes of model and cluster. Same plan, same bytes.
[[nodiscard]] std::string plan_line(const StrategyProblem& problem,
                                    const ParallelPlan& plan,
                                    const PlanScore& score);

/// Writes the same, indented, atomically. @throws RunError if the file cannot be written.
void write_plan_file(const std::filesystem::path& file,
                     const StrategyProblem& problem,
                     const ParallelPlan& plan,
                     const PlanScore& score);

/// Reads what write_plan_file() wrote; only the decisions count, times and memory are left at zero.
/// @throws InputError naming file and field: another version, the hash of another model or cluster,
///         degrees that the problem does not know, or an illegal plan.
[[nodiscard]] ParallelPlan read_plan_file(const std::filesystem::path& file,
                                          const StrategyProblem& problem);

}  // namespace berth::datasets
