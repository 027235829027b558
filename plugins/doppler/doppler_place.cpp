// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "best_drawn.hpp"
#include "denormals.hpp"
#include "doppler_policy.hpp"
#include "fitting_episode.hpp"
#include "plugins/baselines/heft.hpp"
#include "refine.hpp"

namespace berth::doppler {

Placement DopplerPolicy::place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) {
  const FlushDenormals flush;
  const std::shared_ptr<const PreparedProblem> prepared = prepare(problem);
  const std::uint64_t budget = evaluator.budget().simulations;
  const bool budgeted = has_budget(evaluator);
  ActSpec act;
  act.mode = ActSpec::Mode::kGreedy;
  const auto draw = [&] { return play_fitting_episode(*prepared, settings_, act, rng).placement; };
  offer(evaluator, draw());
  const Elite* known = settings_.recall ? elites_.recall(fingerprint(problem)) : nullptr;
  if (known != nullptr && !evaluator.exhausted()) {
    offer(evaluator, {known->device, known->order});
  }
  if (settings_.heuristics && !evaluator.exhausted()) {
    baselines::offer_heft(evaluator);
  }
  act.mode = ActSpec::Mode::kSample;
  act.sel_explore = settings_.sel_temperature;
  std::uint64_t samples = affordable(settings_.samples, problem.graph.num_ops());
  if (budgeted && settings_.search == 0) {
    samples = std::numeric_limits<std::uint64_t>::max();  // The budget ends them.
  } else if (budget > 0) {
    const bool twice = problem.execution.discipline == Discipline::kAuto;  // See offer().
    samples = std::min(samples, budget / (twice ? 8 : 4));
  }
  offer_drawn(evaluator, samples, draw);
  if (settings_.search > 0) {
    improve(*prepared->view, evaluator, budgeted, rng);
  }
  return evaluator.best();
}

void DopplerPolicy::improve(const ProblemView& view,
                            Evaluator& evaluator,
                            bool budgeted,
                            Rng& rng) const {
  const PlacementProblem& problem = evaluator.problem();
  const Discipline discipline = problem.execution.discipline;
  if (discipline != Discipline::kFifo && discipline != Discipline::kAuto) {
    return;  // The search moves devices alone, and these need an order.
  }
  constexpr std::uint64_t kLong = 10'000;
  const std::uint64_t budget = evaluator.budget().simulations;
  Simulator simulator(problem);
  std::vector<DeviceId> device = evaluator.best().device;
  double makespan = simulator.makespan(device);
  do {
    RefineSpec spec;
    spec.simulations = affordable(settings_.search, problem.graph.num_ops());
    if (budget > 0) {
      spec.simulations = budget - std::min(budget, evaluator.simulations());
    }
    if (spec.simulations < 2 || evaluator.exhausted()) {
      return;
    }
    --spec.simulations;  // One is for the evaluator to see the result.
    spec.temperature =
        spec.simulations < kLong ? settings_.refine_temperature : settings_.deep_temperature;
    makespan = refine(view, simulator, spec, device, makespan, rng);
    evaluator.count(spec.simulations);
    static_cast<void>(evaluator(device));
  } while (budgeted);
}

}  // namespace berth::doppler
