// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <map>
#include <string>

#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

#include "datasets/source_text.hpp"
#include "json_fields.hpp"

namespace berth::datasets {

using Fields = std::map<std::string, std::string, std::less<>>;

/// "section.key" and value of every line of a TOML text that has both. A list must be on one line.
[[nodiscard]] Fields toml_fields(const SourceText& source);

/// "--argument" and value of a command line or shell script; no value: an empty text.
[[nodiscard]] Fields argument_fields(const SourceText& source);

/// Compares what a file that Berth wrote states beside its berth-plan line with the plan that was
/// read from it. @throws InputError naming the first field that was changed alone.
void check_torchtitan_fields(const SourceText& source,
                             const StrategyProblem& problem,
                             const ParallelPlan& plan);
void check_megatron_fields(const SourceText& source,
                           const StrategyProblem& problem,
                           const ParallelPlan& plan);
void check_galvatron_fields(const JsonField& root,
                            const StrategyProblem& problem,
                            const ParallelPlan& plan);

}  // namespace berth::datasets
