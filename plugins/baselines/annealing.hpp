// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/evaluator.hpp"
#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"
#include "berth/rng.hpp"

namespace berth::baselines {

inline constexpr berth_option_spec kLocalSearchOptions[] = {
    {"simulations",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     1e15,
     "simulations",
     "",
     "Simulations to spend; 0 means the run's budget, or 100000 where that has no limit."},
};

inline constexpr berth_option_spec kAnnealingOptions[] = {
    kLocalSearchOptions[0],
    {"descent",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     1e6,
     "moves an op",
     "",
     "First as many moves of devices, without an order, that must not worsen the mean finish time "
     "of all ops: better than annealing alone where moves are few for the ops."},
};

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) over what counts under the problem's
/// discipline. Starts from the best of the evaluator's best and the heuristics of search_start().
/// @throws SolverError if there is nothing to start from; InputError for a descent under a
///         discipline that always has an order.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_annealing(const HostServices& host);

/// Anneals from evaluator.best() until the evaluator is exhausted or `simulations` are spent; 0: as
/// the budget says. @pre evaluator.best() is there.
void anneal(Evaluator& evaluator, std::uint64_t simulations, Rng& rng);

/// The same after a descent (see the option) of as many moves an op as did best above 500 ops.
void descend_and_anneal(Evaluator& evaluator, std::uint64_t simulations, Rng& rng);

/// Iterated local search (Lourenço, Martin and Stützle 2003) with the same moves: keeps what does
/// not lengthen the schedule, and leaves the best known by a few random moves again and again.
/// @throws SolverError if there is nothing to start from.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_local_search(const HostServices& host);

}  // namespace berth::baselines
