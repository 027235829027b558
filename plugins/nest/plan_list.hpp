// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

#include "search_settings.hpp"

namespace berth::nest {

/// The best plans so far, and what can still enter among them.
class PlanList {
 public:
  PlanList(const StrategyProblem& problem, const SearchSettings& settings, std::size_t top_k);

  /// Whether no plan on `devices` devices that takes `seconds` or longer can enter. A little above
  /// the last entry: plans of equal value all enter, and the tie between them does not depend on
  /// which came first.
  [[nodiscard]] bool excludes(double seconds, double devices) const;

  /// Plans on `devices` devices that take longer than this cannot enter.
  [[nodiscard]] double time_limit(double devices) const;

  /// Enters a complete plan under (item, order).
  void keep(ParallelPlan plan, std::uint64_t item, std::uint64_t order);

  [[nodiscard]] bool empty() const noexcept { return best_.empty(); }
  [[nodiscard]] std::vector<ParallelPlan> take() { return std::move(best_); }

 private:
  using Value = std::pair<double, double>;  // compared part by part
  [[nodiscard]] Value value_of(double seconds, double devices, double price) const;
  [[nodiscard]] Value last() const;

  const StrategyProblem& problem_;
  Objective objective_;
  std::size_t top_k_;
  double least_price_;
  std::vector<ParallelPlan> best_;  // by key
};

}  // namespace berth::nest
