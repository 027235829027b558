// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/parallel_plan.hpp"
#include "berth/plan_score.hpp"
#include "berth/strategy_problem.hpp"

#include "command_line.hpp"
#include "datasets/models/training_problem.hpp"

namespace berth::launcher {

/// A plan and all that it was made from.
struct PlanResult {
  const datasets::Model& model;
  const datasets::Cluster& cluster;
  const datasets::TrainingSetup& setup;
  const StrategyProblem& problem;
  const ParallelPlan& plan;
  const PlanScore& score;
};

/// Declares --out, --report, --trace, --stage-graphs, --megatron, --torchtitan, --galvatron.
void add_plan_outputs(CommandLine& line);

/// Tries the files and the folder among these before a search. @throws InputError for one that
/// cannot be written.
void check_plan_outputs(const CommandLine& line);

/// Writes and prints what of these was asked for. @throws InputError for a plan that a format
/// cannot hold, RunError if a file cannot be written.
void write_plan_outputs(const CommandLine& line, const PlanResult& result);

}  // namespace berth::launcher
