// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "berth/simulator.hpp"

#include "annealing_search.hpp"
#include "critical_chain.hpp"
#include "device_moves.hpp"

namespace berth::baselines {
namespace {

constexpr std::uint64_t kLookEvery = 16;
/// A chain is sought after an accepted move, but not within so many simulations of the last time:
/// a trace costs several of them.
constexpr std::uint64_t kChainEvery = 32;

/// Ops that determine the makespan of the placement that a search is at, or was a few moves ago.
class CriticalOps {
 public:
  explicit CriticalOps(Evaluator& evaluator)
      : evaluator_(&evaluator), simulator_(evaluator.problem()) {}

  /// The placement is another one now.
  void expire() noexcept { expired_ = true; }
  [[nodiscard]] bool due() const noexcept {
    return expired_ && evaluator_->simulations() >= next_look_;
  }
  /// Finds them anew. Counts a simulation.
  void look(const std::vector<DeviceId>& devices) {
    chain_ = critical_chain(simulator_.trace({devices, {}}), evaluator_->problem().graph);
    evaluator_->count(1);
    next_look_ = evaluator_->simulations() + kChainEvery;
    expired_ = false;
  }
  /// One of them. @pre look() was called.
  [[nodiscard]] OpId pick(Rng& rng) const { return chain_[rng.below(chain_.size())]; }

 private:
  Evaluator* evaluator_;
  Simulator simulator_;
  std::vector<OpId> chain_;
  bool expired_ = true;
  std::uint64_t next_look_ = 0;
};

}  // namespace

void anneal_devices(
    Evaluator& evaluator, SearchPhase phase, const Heat& heat, const MoveGoal& goal, Rng& rng) {
  DeviceMoves moves(evaluator.problem(), evaluator.best().device);
  if (moves.movable().empty() || phase.over()) {
    return;
  }
  Cooling cooling(heat, evaluator.best_makespan(), evaluator.problem().graph.num_ops());
  const std::uint64_t begin = evaluator.simulations();
  const auto score = [&] {
    const double makespan = evaluator(moves.devices());
    return goal.mean_finish > 0.0 ? makespan + goal.mean_finish * evaluator.mean_finish()
                                  : makespan;
  };
  double current = score();
  CriticalOps critical(evaluator);
  for (std::uint64_t step = 0; !phase.over(); ++step) {
    if (step % kLookEvery == 0 && cooling.advance(phase.used(), evaluator.simulations() - begin) &&
        heat.kicks > 0) {
      moves.reset(evaluator.best().device);
      for (int kick = 0; kick < heat.kicks; ++kick) {
        static_cast<void>(moves.change(rng));
      }
      moves.keep();
      current = score();
      critical.expire();
      continue;
    }
    if (critical.due()) {
      critical.look(moves.devices());
      continue;
    }
    const bool changed = rng.uniform() < goal.critical_share ? moves.change(critical.pick(rng), rng)
                                                             : moves.change(rng);
    if (!changed) {
      evaluator.count(1);
      continue;
    }
    const double next = score();
    if (next <= current || rng.uniform() < std::exp((current - next) / cooling.temperature())) {
      current = next;
      moves.keep();
      critical.expire();
    } else {
      moves.undo();
    }
  }
}

}  // namespace berth::baselines
