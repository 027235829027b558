// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "best_drawn.hpp"
#include "denormals.hpp"
#include "doppler_policy.hpp"
#include "fitting_episode.hpp"
#include "plugins/baselines/annealing.hpp"
#include "plugins/baselines/heft.hpp"
#include "plugins/baselines/search_start.hpp"

namespace berth::doppler {
namespace {

/// Where a search follows within a budget, it is given what rollouts do not use: they end after as
/// many in a row that find nothing better.
constexpr std::uint64_t kFutile = 8;

}  // namespace

Placement DopplerPolicy::place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) {
  const FlushDenormals flush;
  const auto offer_heuristics = [&] {
    baselines::offer_heft(evaluator);
    if (!evaluator.exhausted()) {
      baselines::search_start(evaluator);
    }
  };
  // A limit in seconds gets them first, as they take a fraction of a rollout's time; one in
  // simulations later, as they take tens of them.
  const bool heuristics_first = settings_.heuristics && evaluator.budget().seconds > 0.0;
  if (heuristics_first) {
    offer_heuristics();
    if (evaluator.exhausted()) {
      return evaluator.best();
    }
  }
  const std::shared_ptr<const PreparedProblem> prepared = prepare(problem);
  const std::uint64_t budget = evaluator.budget().simulations;
  const bool budgeted = has_budget(evaluator);
  ActSpec act;
  act.mode = ActSpec::Mode::kGreedy;
  const auto draw = [&] { return play_fitting_episode(*prepared, settings_, act, rng).placement; };
  offer(evaluator, draw());
  if (settings_.learned != LearnedPart::kReady && !evaluator.exhausted()) {
    act.by_arrival = true;
    offer(evaluator, draw());
  }
  const Elite* known = settings_.recall ? elites_.recall(fingerprint(problem)) : nullptr;
  if (known != nullptr && !evaluator.exhausted()) {
    offer(evaluator, {known->device, known->order});
  }
  if (settings_.heuristics && !heuristics_first && !evaluator.exhausted()) {
    offer_heuristics();
  }
  act.mode = ActSpec::Mode::kSample;
  act.by_arrival = false;
  act.sel_explore = settings_.sel_temperature;
  DrawLimit limit{.samples = affordable(settings_.samples, problem.graph.num_ops())};
  if (budgeted && settings_.search == 0) {
    limit.samples = std::numeric_limits<std::uint64_t>::max();  // The budget ends them.
  } else if (budgeted) {
    limit.until = quarter_of_time_left(evaluator);
    limit.futile = kFutile;
  }
  if (budget > 0 && settings_.search > 0) {
    const bool twice = problem.execution.discipline == Discipline::kAuto;  // See offer().
    limit.samples = std::min(limit.samples, budget / (twice ? 8 : 4));
  }
  const auto draw_in_turn = [&] {  // by arrival, then in SEL's order
    act.by_arrival = !act.by_arrival;
    return draw();
  };
  offer_drawn(evaluator, limit, draw_in_turn);
  if (settings_.search > 0 && !evaluator.exhausted()) {
    baselines::anneal(
        evaluator, budgeted ? 0 : affordable(settings_.search, problem.graph.num_ops()), rng);
  }
  return evaluator.best();
}

}  // namespace berth::doppler
