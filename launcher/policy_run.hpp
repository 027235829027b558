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

/// Improves `run` by a search policy that starts from its placement beside its own starts. Never
/// worse than `run`, nor than any start of the search. Where the search has a better start of its
/// own, all goes as in run_policy() with this label, budget and seed, so the result equals that.
/// Adds up simulations and seconds.
/// @param search scores its answer by the evaluator, as `annealing` does.
void refine(const PlacementProblem& problem,
            PlacementPolicy& search,
            const std::string& label,
            SearchBudget budget,
            std::uint64_t seed,
            PolicyRun& run);

/// Whether a placement has the devices of the packing by memory alone (berth/memory_packing.hpp),
/// which policies answer with where their own way runs out of memory. Always false where memory is
/// no limit, that is where all ops fit on any device that can run them.
[[nodiscard]] bool is_memory_packing(const PlacementProblem& problem, const Placement& placement);

inline constexpr const char* kPackingWarning =
    "the answer is a packing by memory alone, not the policy's own schedule, which ran out of "
    "memory or is the same";

}  // namespace berth::launcher
