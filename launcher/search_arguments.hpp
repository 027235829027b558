// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/evaluator.hpp"
#include "berth/plugin_host.hpp"

#include "command_line.hpp"
#include "policy_run.hpp"

namespace berth::launcher {

/// How much a policy may spend, and how its answer is improved afterwards.
struct SearchArguments {
  SearchBudget budget;
  std::uint64_t refine_simulations = 0;
  std::uint64_t seed = 1;
};

/// Declares --simulations, --seconds, --refine and --seed.
void add_search_options(CommandLine& line);
[[nodiscard]] SearchArguments search_of(const CommandLine& line);

/// Runs the policy under the budget and refines its answer by annealing if asked for.
[[nodiscard]] PolicyRun run_with_search(const PlacementProblem& problem,
                                        PlacementPolicy& policy,
                                        const std::string& label,
                                        PluginHost& host,
                                        const SearchArguments& search);

}  // namespace berth::launcher
