// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/problem.hpp"

#include "learned_settings.hpp"
#include "net_graph.hpp"
#include "problem_view.hpp"

namespace berth::learned {

/// All that a policy derives from a problem once and for all. Immutable, shared by rollouts.
struct LearnedView {
  doppler::ProblemView view;
  NetGraph net;
};

/// Ops are placed by id where every edge leads to a higher id, else in Kahn's order.
/// @throws InputError if Placeto's sets of parallel ops would need more than a gigabyte.
/// Cost O(ops + edges log edges); with related ops O(ops * (ops + edges) / 64).
[[nodiscard]] LearnedView make_learned_view(const PlacementProblem& problem,
                                            const LearnedSettings& settings);

}  // namespace berth::learned
