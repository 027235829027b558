// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include "annealing_search.hpp"
#include "list_decoder.hpp"
#include "ranks.hpp"
#include "search_limit.hpp"

namespace berth::baselines {
namespace {

constexpr std::uint64_t kLookEvery = 64;

/// A topological sequence of all ops and its inverse, changed by moving one op
/// at a time.
class OpList {
 public:
  OpList(const Graph& graph, std::vector<OpId> ops)
      : graph_(&graph), ops_(std::move(ops)), position_(ops_.size()) {
    update(0, ops_.size());
  }

  [[nodiscard]] const std::vector<OpId>& ops() const noexcept { return ops_; }
  [[nodiscard]] const std::vector<double>& order() const noexcept { return position_; }

  /// Moves a random op to a random place between its predecessors and its
  /// successors.
  bool change(Rng& rng) {
    from_ = rng.below(ops_.size());
    std::size_t low = 0;
    std::size_t high = ops_.size() - 1;
    for (const OpId before : graph_->predecessors(ops_[from_])) {
      low = std::max(low, static_cast<std::size_t>(position_[index(before)]) + 1);
    }
    for (const OpId after : graph_->successors(ops_[from_])) {
      high = std::min(high, static_cast<std::size_t>(position_[index(after)]) - 1);
    }
    to_ = low + rng.below(high - low + 1);
    shift(from_, to_);
    return from_ != to_;
  }

  void undo() { shift(to_, from_); }

 private:
  void shift(std::size_t from, std::size_t to) {
    const auto at = [this](std::size_t i) { return ops_.begin() + static_cast<std::ptrdiff_t>(i); };
    if (from < to) {
      std::rotate(at(from), at(from + 1), at(to + 1));
    } else {
      std::rotate(at(to), at(from), at(from + 1));
    }
    update(std::min(from, to), std::max(from, to) + 1);
  }

  void update(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      position_[index(ops_[i])] = static_cast<double>(i);
    }
  }

  const Graph* graph_;
  std::vector<OpId> ops_;
  std::vector<double> position_;
  std::size_t from_ = 0;
  std::size_t to_ = 0;
};

}  // namespace

void anneal_list(Evaluator& evaluator, SearchPhase phase, const Heat& heat, Rng& rng) {
  const PlacementProblem& problem = evaluator.problem();
  if (problem.graph.num_ops() == 0 || phase.over()) {
    return;
  }
  OpList list(problem.graph, by_descending_rank(problem.graph, upward_ranks(problem)));
  ListDecoder decoder(problem);
  Cooling cooling(heat, evaluator.best_makespan(), problem.graph.num_ops());
  const std::uint64_t begin = evaluator.simulations();
  const auto score = [&](double limit) {
    const double makespan = decoder.makespan(list.ops(), limit);
    const bool improves = makespan < evaluator.best_makespan();
    if (!improves || simulations_left(evaluator) > 1) {
      evaluator.count(1);
    }
    if (improves) {
      static_cast<void>(evaluator(decoder.devices(), list.order()));
    }
    return makespan;
  };
  double current = score(std::numeric_limits<double>::infinity());
  for (std::uint64_t step = 0; !phase.over(); ++step) {
    if (step % kLookEvery == 0 && cooling.advance(phase.used(), evaluator.simulations() - begin)) {
      for (int kick = 0; kick < heat.kicks; ++kick) {
        static_cast<void>(list.change(rng));
      }
      current = score(std::numeric_limits<double>::infinity());
      if (phase.over()) {
        break;
      }
    }
    if (!list.change(rng)) {
      evaluator.count(1);
      continue;
    }
    // Drawn before scoring, so that the scoring can stop early.
    const double limit = current - cooling.temperature() * std::log(1.0 - rng.uniform());
    const double next = score(limit);
    if (next <= limit && next < std::numeric_limits<double>::infinity()) {
      current = next;
    } else {
      list.undo();
    }
  }
}

}  // namespace berth::baselines
