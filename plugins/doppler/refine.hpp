// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/ids.hpp"
#include "berth/rng.hpp"
#include "berth/simulator.hpp"

#include "problem_view.hpp"

namespace berth::doppler {

struct RefineSpec {
  std::uint64_t simulations = 0;  ///< At most this many are spent.
  double temperature = 0.0;  ///< At the start, as a share of the makespan; falls to a hundredth.
};

/// Local search: one op elsewhere (next to a neighbour more often than not), two ops exchanged, an
/// op with its neighbours. A step that does not worsen the makespan is kept, a worse one with the
/// probability of annealing.
///
/// @param device replaced by the best one met. @param makespan of `device`.
/// @return the makespan of the best one.
double refine(const ProblemView& view,
              Simulator& simulator,
              const RefineSpec& spec,
              std::span<DeviceId> device,
              double makespan,
              Rng& rng);

/// [ops] 1 for the ops that a guided rollout may place anew: a neighbourhood in the graph or a
/// range of ids around a random op, between a sixteenth and a third of the graph.
[[nodiscard]] std::vector<std::uint8_t> free_region(const Graph& graph, Rng& rng);

/// Whether a rollout gets a deep search, so that a share of them (at most a quarter) does. They
/// come in bursts, one in each of four consecutive runs of four rollouts: the farm shares out
/// consecutive rollouts, so ranks get equally many and none waits for another's.
[[nodiscard]] bool is_deep(RolloutId id, double share);

}  // namespace berth::doppler
