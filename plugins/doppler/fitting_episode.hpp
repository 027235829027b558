// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "episode.hpp"

namespace berth::doppler {

/// play_episode() that does not end without a placement while one is known: an episode that runs
/// out of memory is played again where actions are drawn, a few times, and at last with the devices
/// of ProblemView::packing, which then count as given.
/// @throws SolverError naming the op that found no room, if there is no packing either.
[[nodiscard]] Rollout play_fitting_episode(const PreparedProblem& prepared,
                                           const Settings& settings,
                                           const ActSpec& spec,
                                           Rng& rng);

}  // namespace berth::doppler
