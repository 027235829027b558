// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>

#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::datasets {

/// Fields of torchtitan's TOML configuration (sections parallelism, training,
/// activation_checkpoint), modules listed per stage. ZeRO-3 becomes a shard degree that reshards
/// after forward, ZeRO-1 and 2 one that does not, ZeRO-0 a replicate degree.
/// @throws InputError as require_one_configuration().
[[nodiscard]] std::string torchtitan_fields(const StrategyProblem& problem,
                                            const ParallelPlan& plan,
                                            std::uint32_t sequence);

/// Galvatron's strategy JSON: lists with an entry per transformer layer, pp_division, chunks. What
/// it has no field for (expert degree, selective recomputation) is in the stamp.
/// @throws InputError as require_one_configuration().
[[nodiscard]] std::string galvatron_json(const StrategyProblem& problem, const ParallelPlan& plan);

/// Reads a plan in any format that Berth writes: its own JSON, Galvatron's, torchtitan fields (a
/// whole configuration file is fine, other sections are passed over), Megatron-LM arguments (in a
/// shell script is fine, other arguments are passed over). With a stamp the plan is the one that
/// was written; without, ranks are placed as Megatron-LM does (tensor, context, expert, data, then
/// pipeline), the data degree takes all devices, and stages recompute alike.
/// @throws InputError naming file and field: no known format, a plan for another model or cluster,
///         degrees that model or cluster do not allow, layers that do not add up.
[[nodiscard]] ParallelPlan read_any_plan(const std::filesystem::path& file,
                                         const StrategyProblem& problem);

}  // namespace berth::datasets
