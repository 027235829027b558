// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/rng.hpp"
#include "berth/simulator.hpp"

#include "problem_view.hpp"

namespace berth::doppler {

/// Local search by single moves and swaps, next to neighbours more often than elsewhere; steps
/// that do not worsen the makespan are kept.
///
/// @param device changed in place. @param makespan of `device`.
/// @param simulations at most this many. @return the makespan reached.
double refine(const ProblemView& view,
              Simulator& simulator,
              std::uint64_t simulations,
              std::span<DeviceId> device,
              double makespan,
              Rng& rng);

/// [ops] 1 for the ops that a guided rollout may place anew: a neighbourhood in the graph or a
/// range of ids around a random op, between a sixteenth and a third of the graph.
[[nodiscard]] std::vector<std::uint8_t> free_region(const Graph& graph, Rng& rng);

}  // namespace berth::doppler
