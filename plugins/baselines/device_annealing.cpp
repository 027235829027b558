// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "annealing_search.hpp"
#include "device_moves.hpp"

namespace berth::baselines {
namespace {

constexpr std::uint64_t kLookEvery = 16;

}  // namespace

void anneal_devices(Evaluator& evaluator, SearchPhase phase, const Heat& heat, Rng& rng) {
  DeviceMoves moves(evaluator.problem(), evaluator.best().device);
  if (moves.movable().empty() || phase.over()) {
    return;
  }
  Cooling cooling(heat, evaluator.best_makespan(), evaluator.problem().graph.num_ops());
  const std::uint64_t begin = evaluator.simulations();
  double current = evaluator(moves.devices());
  for (std::uint64_t step = 0; !phase.over(); ++step) {
    if (step % kLookEvery == 0 && cooling.advance(phase.used(), evaluator.simulations() - begin) &&
        heat.kicks > 0) {
      moves.reset(evaluator.best().device);
      for (int kick = 0; kick < heat.kicks; ++kick) {
        static_cast<void>(moves.change(rng));
      }
      moves.keep();
      current = evaluator(moves.devices());
      continue;
    }
    if (!moves.change(rng)) {
      evaluator.count(1);
      continue;
    }
    const double next = evaluator(moves.devices());
    if (next <= current || rng.uniform() < std::exp((current - next) / cooling.temperature())) {
      current = next;
      moves.keep();
    } else {
      moves.undo();
    }
  }
}

}  // namespace berth::baselines
