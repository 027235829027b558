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

namespace berth::baselines {
namespace {

/// Temperatures as shares of the makespan at the start.
constexpr double kHot = 0.02;
constexpr double kCold = 0.002;
/// Share of moves that pick an op on a critical chain.
constexpr double kCriticalShare = 0.6;
/// A cycle takes about this many moves for each op.
constexpr double kMovesPerOp = 20000.0;
constexpr double kMostCycles = 40.0;
constexpr std::uint64_t kLookEvery = 64;

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
    evaluator_->count(1);
    const double makespan =
        decoder_->makespan(moves_->sequence(), moves_->devices(), moves_->first_change(), limit);
    if (makespan < evaluator_->best_makespan()) {
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

void anneal_order(Evaluator& evaluator, SearchPhase phase, Rng& rng) {
  const PlacementProblem& problem = evaluator.problem();
  const std::size_t n = problem.graph.num_ops();
  OrderMoves moves(problem, ordered_best(evaluator));
  OrderScorer scorer(evaluator, moves);
  Cooling cooling{kHot * evaluator.best_makespan(), kCold * evaluator.best_makespan(), 1};
  std::uint32_t cycle = 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  scorer.accept(0);
  double current = evaluator(moves.placement());
  double temperature = cooling.hot;
  const std::uint64_t begin = evaluator.simulations();
  for (std::uint64_t step = 0; !phase.over(); ++step) {
    if (step % kLookEvery == 0) {
      const double used = phase.used();
      if (cooling.cycles == 1 && used > 0.02) {
        const double total = static_cast<double>(evaluator.simulations() - begin) / used;
        cooling.cycles = static_cast<std::uint32_t>(
            std::clamp(total / (kMovesPerOp * static_cast<double>(n)), 1.0, kMostCycles));
        cycle = cooling.cycle(used);
      }
      temperature = cooling.temperature(used);
      if (cooling.cycle(used) != cycle) {
        cycle = cooling.cycle(used);
        moves.reset(ordered_best(evaluator));
        scorer.accept(0);
        current = evaluator.best_makespan();
      }
    }
    const OpId op =
        rng.uniform() < kCriticalShare ? scorer.critical_op(rng) : to_id<OpId>(rng.below(n));
    if (!moves.change(op, rng)) {
      evaluator.count(1);
      continue;
    }
    // Drawn before scoring, so that the scoring can stop early.
    const double limit = current - temperature * std::log(1.0 - rng.uniform());
    const double next = scorer(limit);
    if (next <= limit && next < kInfinity) {
      current = next;
      scorer.accept(moves.first_change());
      moves.keep();
    } else {
      moves.undo();
    }
  }
}

}  // namespace berth::baselines
