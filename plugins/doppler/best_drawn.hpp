// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

#include "berth/evaluator.hpp"

namespace berth::doppler {

[[nodiscard]] inline bool has_budget(const Evaluator& evaluator) {
  return evaluator.budget().simulations > 0 || evaluator.budget().seconds > 0.0;
}

/// Scores a placement, which the evaluator keeps if it is the best: under `auto` without its order
/// and with it, elsewhere in the way that the discipline demands.
inline void offer(Evaluator& evaluator, const Placement& placement) {
  const Discipline discipline = evaluator.problem().execution.discipline;
  if (placement.order.empty() || discipline == Discipline::kFifo) {
    static_cast<void>(evaluator(placement.device));
    return;
  }
  if (discipline == Discipline::kAuto) {
    static_cast<void>(evaluator(placement.device));
  }
  if (discipline != Discipline::kAuto || !evaluator.exhausted()) {
    static_cast<void>(evaluator(placement));
  }
}

/// The evaluator's clock when a quarter of the time that is left now is over; 0 without a limit.
[[nodiscard]] inline double quarter_of_time_left(const Evaluator& evaluator) {
  const double now = evaluator.elapsed_seconds();
  const double seconds = evaluator.budget().seconds;
  return seconds > 0.0 ? now + (seconds - now) / 4 : 0.0;
}

/// When placements are drawn no more, besides the end of the evaluator's budget.
struct DrawLimit {
  std::uint64_t samples = 0;
  double until = 0.0;        ///< By the evaluator's clock; 0: no limit.
  std::uint64_t futile = 0;  ///< After as many in a row without a new best; 0: no limit.
};

/// Offers placements that draw() makes.
template <class Draw>
void offer_drawn(Evaluator& evaluator, const DrawLimit& limit, const Draw& draw) {
  std::uint64_t futile = 0;
  for (std::uint64_t sample = 0; sample < limit.samples && !evaluator.exhausted(); ++sample) {
    if ((limit.until > 0.0 && evaluator.elapsed_seconds() >= limit.until) ||
        (limit.futile > 0 && futile == limit.futile)) {
      return;
    }
    const double before = evaluator.best_makespan();
    offer(evaluator, draw());
    futile = evaluator.best_makespan() < before ? 0 : futile + 1;
  }
}

/// How many rollouts of a graph are drawn where `asked` are asked for: two million decisions in
/// all, so that a large graph does not take minutes.
[[nodiscard]] inline std::uint64_t affordable(std::uint64_t asked, std::size_t ops) {
  constexpr std::uint64_t kMostDecisions = 2'000'000;
  return std::min<std::uint64_t>(
      asked, std::max<std::uint64_t>(1, kMostDecisions / std::max<std::size_t>(1, ops)));
}

}  // namespace berth::doppler
