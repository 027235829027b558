// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "berth/export.hpp"
#include "berth/placement.hpp"
#include "berth/simulator.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a search may spend; zero means no such limit.
struct SearchBudget {
  std::uint64_t simulations = 0;
  double seconds = 0.0;
};

/// Scores placements for a policy, counts what that costs and remembers the best one.
/// One object serves one thread.
class BERTH_API Evaluator {
 public:
  explicit Evaluator(const PlacementProblem& problem, SearchBudget budget = {});

  /// Makespan in time units; +infinity for an illegal placement. Counts one simulation.
  double operator()(std::span<const DeviceId> device, std::span<const double> order = {});
  double operator()(const Placement& placement) {
    return (*this)(placement.device, placement.order);
  }

  /// Mean finish time of the ops of the placement that was scored last, time units; of no meaning
  /// after an illegal one.
  [[nodiscard]] double mean_finish() const noexcept { return simulator_.mean_finish(); }

  /// True when a limit of the budget is reached, or the best equals the lower bound.
  [[nodiscard]] bool exhausted() const;

  /// Raises the lower bound to one that a policy proved; a lower value changes nothing.
  void prove(double lower_bound) noexcept {
    lower_bound_ = lower_bound > lower_bound_ ? lower_bound : lower_bound_;
  }
  /// Time units; the problem's own bound or a proved one. The best is optimal when it equals this.
  [[nodiscard]] double lower_bound() const noexcept { return lower_bound_; }

  /// Counts simulations that a policy did by incremental evaluation of its own.
  void count(std::uint64_t simulations) noexcept { simulations_ += simulations; }

  [[nodiscard]] const PlacementProblem& problem() const noexcept { return *problem_; }
  [[nodiscard]] const SearchBudget& budget() const noexcept { return budget_; }
  [[nodiscard]] std::uint64_t simulations() const noexcept { return simulations_; }
  [[nodiscard]] double elapsed_seconds() const;
  [[nodiscard]] double best_makespan() const noexcept { return best_makespan_; }
  [[nodiscard]] const Placement& best() const noexcept { return best_; }

 private:
  const PlacementProblem* problem_;
  Simulator simulator_;
  SearchBudget budget_;
  double start_seconds_;
  std::uint64_t simulations_ = 0;
  double lower_bound_;
  double best_makespan_ = std::numeric_limits<double>::infinity();
  Placement best_;
};

}  // namespace abi_v1
}  // namespace berth
