// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting_episode.hpp"

#include "berth/error.hpp"

namespace berth::doppler {

Rollout play_fitting_episode(const PreparedProblem& prepared,
                             const Settings& settings,
                             const ActSpec& spec,
                             Rng& rng) {
  constexpr int kTries = 4;
  const ProblemView& view = *prepared.view;
  const int tries = spec.mode == ActSpec::Mode::kGreedy ? 1 : kTries;
  for (int attempt = 0; attempt < tries; ++attempt) {
    try {
      return play_episode(prepared, settings, spec, rng);
    } catch (const SolverError&) {
      if (view.packing.empty() && attempt + 1 == tries) {
        throw;
      }
    }
  }
  ActSpec packed = spec;
  packed.keep = view.packing;
  packed.free = {};
  return play_episode(prepared, settings, packed, rng);
}

}  // namespace berth::doppler
