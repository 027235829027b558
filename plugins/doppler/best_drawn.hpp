// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/evaluator.hpp"

namespace berth::doppler {

/// The best of `first`, of `known` (may be null), of what `evaluator` has seen before, and of
/// placements that draw() makes: `samples` of them, or under a budget until it is exhausted.
/// Each is simulated once.
template <class Draw>
Placement best_drawn(Evaluator& evaluator,
                     const Placement& first,
                     const std::vector<DeviceId>* known,
                     std::uint64_t samples,
                     const Draw& draw) {
  const bool budgeted = evaluator.budget().simulations > 0 || evaluator.budget().seconds > 0.0;
  Placement best = first;
  double best_makespan = evaluator(best);
  if (known != nullptr && !evaluator.exhausted()) {
    static_cast<void>(evaluator(*known));
  }
  if (evaluator.best_makespan() < best_makespan) {
    best = evaluator.best();
    best_makespan = evaluator.best_makespan();
  }
  for (std::uint64_t sample = 0; budgeted || sample < samples; ++sample) {
    if (evaluator.exhausted()) {
      break;
    }
    Placement drawn = draw();
    const double makespan = evaluator(drawn);
    if (makespan < best_makespan) {
      best = std::move(drawn);
      best_makespan = makespan;
    }
  }
  return best;
}

}  // namespace berth::doppler
