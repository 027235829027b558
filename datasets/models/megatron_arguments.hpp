// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::datasets {

/// The plan as arguments of Megatron-LM's pretrain scripts. The layout string spells every stage:
/// E embedding, t transformer layer, L head and loss. Where stages recompute differently, the
/// strongest choice is given for all, which a comment line says.
/// @throws InputError if the model has no embedding and head to name.
[[nodiscard]] std::string megatron_arguments(const StrategyProblem& problem,
                                             const ParallelPlan& plan);

}  // namespace berth::datasets
