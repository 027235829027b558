// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <optional>

#include "best_drawn.hpp"
#include "denormals.hpp"
#include "doppler_policy.hpp"
#include "fitting_episode.hpp"
#include "piecewise.hpp"
#include "plugins/baselines/annealing.hpp"
#include "plugins/baselines/heft.hpp"
#include "plugins/baselines/mct.hpp"
#include "plugins/baselines/search_start.hpp"

namespace berth::doppler {
namespace {

/// Share of what is left of a budget that goes to the pieces of a graph that has some.
constexpr double kPiecesShare = 0.75;
/// Where few parts differ, each is placed so often, and those placements are taken that chain well.
constexpr std::size_t kTries = 4;
constexpr std::size_t kFewParts = 16;
/// Without a budget, ops simulated in all parts together, and simulations of one of them.
constexpr std::uint64_t kMostSimulatedOps = 8'000'000;
constexpr std::uint64_t kMostOfPart = 2'500;
constexpr std::uint64_t kHeuristics = 30;  ///< About what these and greedy rollouts take.

/// Divides a part of what is left of a budget over searches of their own. No limit stays none.
class BudgetShares {
 public:
  BudgetShares(const Evaluator& all, double share, std::size_t parts)
      : all_(&all), parts_(static_cast<double>(parts)) {
    const SearchBudget& budget = all.budget();
    if (budget.simulations > 0) {
      const auto left = static_cast<double>(budget.simulations - all.simulations());
      last_simulation_ = all.simulations() + static_cast<std::uint64_t>(share * left);
    }
    if (budget.seconds > 0.0) {
      const double now = all.elapsed_seconds();
      last_second_ = now + share * (budget.seconds - now);
    }
  }

  /// What the next of them may spend; none if that is nothing.
  [[nodiscard]] std::optional<SearchBudget> next() {
    SearchBudget part;
    bool something = true;
    if (all_->budget().simulations > 0) {
      const std::uint64_t left = last_simulation_ - std::min(last_simulation_, all_->simulations());
      part.simulations = static_cast<std::uint64_t>(static_cast<double>(left) / parts_);
      something = part.simulations > 0;
    }
    if (all_->budget().seconds > 0.0) {
      part.seconds = (last_second_ - all_->elapsed_seconds()) / parts_;
      something = something && part.seconds > 0.0;
    }
    parts_ -= 1.0;
    return something ? std::optional(part) : std::nullopt;
  }

 private:
  const Evaluator* all_;
  double parts_;
  std::uint64_t last_simulation_ = 0;
  double last_second_ = 0.0;
};

/// Where a search follows within a budget, it is given what rollouts do not use: they end after as
/// many in a row that find nothing better.
constexpr std::uint64_t kFutile = 8;

/// Above as many ops annealing has few moves for each, and begins better with a descent.
constexpr std::size_t kMostWithoutDescent = 512;

/// A placement with the order in which its ops run, where an order counts.
Placement as_run(const PlacementProblem& problem, Placement placement) {
  const bool counts = problem.execution.discipline != Discipline::kFifo;
  const Elite run = counts ? elite_of(problem, placement, 0.0) : Elite{};
  placement.order.resize(run.sequence.size());
  for (std::size_t i = 0; i < run.sequence.size(); ++i) {
    placement.order[run.sequence[i]] = static_cast<double>(i);
  }
  return placement;
}

}  // namespace

void DopplerPolicy::place_by_pieces(const PlacementProblem& problem,
                                    Evaluator& evaluator,
                                    Rng& rng) {
  const Pieces pieces = pieces_of(problem);
  if (pieces.parts.empty()) {
    return;
  }
  const std::size_t tries = pieces.parts.size() <= kFewParts ? kTries : 1;
  BudgetShares shares(evaluator, kPiecesShare, pieces.parts.size() * tries);
  std::uint64_t ops = 0;
  for (const auto& part : pieces.parts) {
    ops += part->graph.num_ops();
  }
  const bool counts_order = problem.execution.discipline != Discipline::kFifo;
  const std::uint64_t of_trace = counts_order ? 1 : 0;
  // What an unlimited placement of a part may take: search and drawn rollouts as asked, and the
  // heuristics.
  const std::uint64_t asked = settings_.search + std::uint64_t{settings_.samples};
  const std::uint64_t unasked =
      std::min({kMostOfPart, kMostSimulatedOps / (ops * tries) + 1, asked + kHeuristics});
  std::vector<std::vector<Placement>> candidates(pieces.parts.size());
  for (std::size_t attempt = 0; attempt < tries; ++attempt) {
    for (std::size_t i = 0; i < pieces.parts.size(); ++i) {
      const PlacementProblem& part = *pieces.parts[i];
      auto budget = shares.next();
      if (!budget || (budget->simulations > 0 && budget->simulations <= of_trace)) {
        continue;
      }
      if (budget->simulations > 0) {
        budget->simulations -= of_trace;
      } else if (!has_budget(evaluator) && asked > 0) {
        budget->simulations = unasked;
      }
      Evaluator own(part, *budget);
      candidates[i].push_back(as_run(part, place(part, own, rng)));
      evaluator.count(own.simulations() + of_trace);
    }
  }
  const SearchBudget& budget = evaluator.budget();
  if (budget.simulations > 0 && evaluator.simulations() >= budget.simulations) {
    return;
  }
  for (std::size_t i = 0; i < pieces.parts.size(); ++i) {
    if (candidates[i].empty()) {  // Nothing was left for it.
      candidates[i].push_back(baselines::mct_schedule(*pieces.parts[i]).placement());
      if (!counts_order) {
        candidates[i].back().order.clear();
      }
    }
  }
  const std::uint64_t most = budget.simulations > 0
                                 ? (budget.simulations - evaluator.simulations()) / 2
                                 : std::numeric_limits<std::uint64_t>::max();
  const double end = budget.seconds > 0.0 ? (evaluator.elapsed_seconds() + budget.seconds) / 2
                                          : std::numeric_limits<double>::infinity();
  const auto late = [&] { return evaluator.elapsed_seconds() >= end; };
  const Joined joined = join_pieces(problem, pieces, candidates, most, late, rng);
  evaluator.count(joined.simulations);
  offer(evaluator, joined.placement);
}

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
  // Pieces know nothing of the memory that others take, nor of the noise of ops by their id.
  const bool separable = prepared->view->packing.empty() &&
                         problem.execution.compute_noise == 0.0 &&
                         problem.execution.transfer_noise == 0.0;
  if (settings_.pieces && separable && !evaluator.exhausted()) {
    place_by_pieces(problem, evaluator, rng);
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
    const std::size_t ops = problem.graph.num_ops();
    const auto search =
        ops > kMostWithoutDescent ? baselines::descend_and_anneal : baselines::anneal;
    search(evaluator, budgeted ? 0 : affordable(settings_.search, ops), rng);
  }
  return evaluator.best();
}

}  // namespace berth::doppler
