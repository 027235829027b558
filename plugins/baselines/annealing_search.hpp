// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/evaluator.hpp"
#include "berth/rng.hpp"

#include "cooling.hpp"

namespace berth::baselines {

/// What device moves are to shorten, and which they try.
struct MoveGoal {
  /// Weight of the mean finish time of all ops beside the makespan. Where few ops determine the
  /// makespan most moves leave it as it is, and the mean tells the good of these from the bad.
  double mean_finish = 0.0;
  double critical_share = 0.5;  ///< Of moves that pick an op on the critical chain.
};
inline constexpr MoveGoal kShortest{};
/// The weight of ten, a hundred and a thousand were about as good on random graphs of 500 to 2,000
/// ops, zero was 1 to 3 % worse.
inline constexpr MoveGoal kEarliest{.mean_finish = 100.0, .critical_share = 0.2};

/// Anneals the devices of evaluator.best(), simulated without an order.
/// Makespans that improve reach the evaluator. @pre evaluator.best() is there;
/// the discipline does not need an order.
void anneal_devices(
    Evaluator& evaluator, SearchPhase phase, const Heat& heat, const MoveGoal& goal, Rng& rng);

/// Anneals devices and order of evaluator.best(), which may lack an order. In
/// the `delay` model makespans are decoded without the simulator and counted as
/// simulations.
void anneal_order(Evaluator& evaluator, SearchPhase phase, const Heat& heat, Rng& rng);

/// Anneals a list of ops that is decoded greedily in the `delay` model: few
/// choices, good early. Starts from the ranks. Each decoding counts as a
/// simulation. @pre DelayDecoder::applies().
void anneal_list(Evaluator& evaluator, SearchPhase phase, const Heat& heat, Rng& rng);

/// Temperatures that did best on graphs of 10 to 230 ops at 10^5 to 10^6
/// simulations.
inline constexpr Heat kDeviceHeat{
    .hot = 0.03, .cold = 0.0002, .moves_per_op = 1000, .kicks = 0, .least_moves_per_op = 1000};
inline constexpr Heat kOrderHeat{.hot = 0.03, .cold = 0.002, .moves_per_op = 20000, .kicks = 0};
inline constexpr Heat kListHeat{.hot = 0.02, .cold = 0.001, .moves_per_op = 1000, .kicks = 0};
/// No temperature at all: only moves that do not lengthen the schedule are
/// kept, and each cycle leaves the best known by a few random moves.
inline constexpr Heat kNoHeat{.hot = 0.0, .cold = 0.0, .moves_per_op = 100, .kicks = 3};
/// Nor kicks: a single descent.
inline constexpr Heat kDescent{};

}  // namespace berth::baselines
