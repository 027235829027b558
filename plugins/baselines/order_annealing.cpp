// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "berth/simulator.hpp"

#include "annealing_search.hpp"
#include "delay_decoder.hpp"
#include "order_moves.hpp"
#include "partial_schedule.hpp"
#include "search_limit.hpp"

namespace berth::baselines {
namespace {

/// Share of moves that pick an op on a critical chain.
constexpr double kCriticalShare = 0.6;
constexpr std::uint64_t kLookEvery = 64;
/// Of the best placement: one to see in which order it runs, one in that order.
constexpr std::uint64_t kStartSimulations = 2;

/// The evaluator's best with the order in which it runs.
Placement ordered_best(Evaluator& evaluator) {
  Placement best = evaluator.best();
  if (best.order.empty()) {
    const Trace trace = Simulator(evaluator.problem()).trace(best);
    evaluator.count(1);
    std::vector<double> start(trace.ops.size());
    std::vector<double> finish(trace.ops.size());
    for (const OpInterval& op : trace.ops) {
      start[index(op.op)] = op.start;
      finish[index(op.op)] = op.finish;
    }
    best.order = order_by_start(evaluator.problem().graph, start, finish);
  }
  return best;
}

/// Makespans of ordered placements: decoded where the model allows it, else simulated.
class OrderScorer {
 public:
  OrderScorer(Evaluator& evaluator, const OrderMoves& moves)
      : evaluator_(&evaluator), moves_(&moves) {
    if (DelayDecoder::applies(evaluator.problem())) {
      decoder_.emplace(evaluator.problem());
    }
  }

  /// Any value above `limit` may come back as +infinity.
  double operator()(double limit) {
    if (!decoder_) {
      return (*evaluator_)(moves_->devices(), moves_->order());
    }
    const double makespan =
        decoder_->makespan(moves_->sequence(), moves_->devices(), moves_->first_change(), limit);
    const bool improves = makespan < evaluator_->best_makespan();
    if (!improves || simulations_left(*evaluator_) > 1) {
      evaluator_->count(1);
    }
    if (improves) {
      static_cast<void>((*evaluator_)(moves_->devices(), moves_->order()));
    }
    return makespan;
  }

  void accept(std::size_t from) {
    if (decoder_) {
      static_cast<void>(decoder_->accept(moves_->sequence(), moves_->devices(), from));
      critical_.clear();
    }
  }

  /// An op that determines the accepted makespan; any op where that is not known.
  OpId critical_op(Rng& rng) {
    if (!decoder_) {
      return to_id<OpId>(rng.below(moves_->sequence().size()));
    }
    if (critical_.empty()) {
      decoder_->critical_ops(moves_->devices(), critical_);
    }
    return critical_[rng.below(critical_.size())];
  }

  [[nodiscard]] const DelayDecoder* decoder() const { return decoder_ ? &*decoder_ : nullptr; }

 private:
  Evaluator* evaluator_;
  const OrderMoves* moves_;
  std::optional<DelayDecoder> decoder_;
  std::vector<OpId> critical_;
};

}  // namespace

void anneal_order(Evaluator& evaluator, SearchPhase phase, const Heat& heat, Rng& rng) {
  const PlacementProblem& problem = evaluator.problem();
  const std::size_t n = problem.graph.num_ops();
  if (n == 0 || phase.over() || simulations_left(evaluator) < kStartSimulations) {
    return;
  }
  OrderMoves moves(problem, ordered_best(evaluator));
  OrderScorer scorer(evaluator, moves);
  Cooling cooling(heat, evaluator.best_makespan(), n);
  scorer.accept(0);
  double current = evaluator(moves.placement());
  const std::uint64_t begin = evaluator.simulations();
  for (std::uint64_t step = 0; !phase.over(); ++step) {
    if (step % kLookEvery == 0 && cooling.advance(phase.used(), evaluator.simulations() - begin)) {
      if (simulations_left(evaluator) < kStartSimulations) {
        return;
      }
      moves.reset(ordered_best(evaluator));
      for (int kick = 0; kick < heat.kicks; ++kick) {
        static_cast<void>(moves.change(to_id<OpId>(rng.below(n)), rng));
        moves.keep();
      }
      scorer.accept(0);
      current = evaluator(moves.placement());
      continue;
    }
    const OpId op =
        rng.uniform() < kCriticalShare ? scorer.critical_op(rng) : to_id<OpId>(rng.below(n));
    if (!moves.change(op, rng)) {
      evaluator.count(1);
      continue;
    }
    // Drawn before scoring, so that the scoring can stop early.
    const double limit = current - cooling.temperature() * std::log(1.0 - rng.uniform());
    const double next = scorer(limit);
    if (next <= limit && next < std::numeric_limits<double>::infinity()) {
      current = next;
      scorer.accept(moves.first_change());
      moves.keep();
    } else {
      moves.undo();
    }
  }
}

}  // namespace berth::baselines
