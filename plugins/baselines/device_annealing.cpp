// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "annealing_search.hpp"
#include "device_moves.hpp"

namespace berth::baselines {
namespace {

/// Temperatures as shares of the makespan at the start.
constexpr double kHot = 0.02;
constexpr double kCold = 0.0002;

}  // namespace

void anneal_devices(Evaluator& evaluator, SearchPhase phase, Rng& rng) {
  DeviceMoves moves(evaluator.problem(), evaluator.best().device);
  if (moves.movable().empty()) {
    return;
  }
  const double scale = evaluator.best_makespan();
  const Cooling cooling{kHot * scale, kCold * scale, 1};
  double current = evaluator(moves.devices());
  while (!phase.over()) {
    if (!moves.change(rng)) {
      evaluator.count(1);
      continue;
    }
    const double next = evaluator(moves.devices());
    if (next <= current ||
        rng.uniform() < std::exp((current - next) / cooling.temperature(phase.used()))) {
      current = next;
      moves.keep();
    } else {
      moves.undo();
    }
  }
}

}  // namespace berth::baselines
