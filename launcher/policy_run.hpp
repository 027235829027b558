// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include "berth/evaluator.hpp"
#include "berth/placement_policy.hpp"

#include "result_line.hpp"

namespace berth::launcher {

struct PolicyRun {
  Placement placement;
  PlacementResult result;
};

/// Runs one policy on one problem under a budget and scores its answer in the simulator.
/// What counts is the best placement that the policy answered or scored.
/// The random stream depends on seed, graph and label alone.
[[nodiscard]] PolicyRun run_policy(const PlacementProblem& problem,
                                   PlacementPolicy& policy,
                                   const std::string& label,
                                   const SearchBudget& budget,
                                   std::uint64_t seed);

/// Improves `run` by a search policy that starts from its placement; never worse. Adds up
/// simulations and seconds.
void refine(const PlacementProblem& problem,
            PlacementPolicy& search,
            const SearchBudget& budget,
            std::uint64_t seed,
            PolicyRun& run);

}  // namespace berth::launcher
