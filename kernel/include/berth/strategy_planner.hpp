// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a planner found: plans, or why there are none.
struct StrategyAnswer {
  std::vector<ParallelPlan> plans;      ///< Best first; at most as many as asked for.
  std::vector<std::string> infeasible;  ///< One line per binding constraint; only without plans.
  std::uint64_t candidates = 0;         ///< Configurations with degrees and stage counts.
  std::uint64_t solved = 0;             ///< Of them, those whose stages were optimised.
  std::vector<std::string> notes;       ///< What the planner wants said, one line each.
};

/// An algorithm that plans distributed training: `berth.strategy/1`.
class BERTH_API StrategyPlanner {
 public:
  static constexpr std::string_view kInterface = "berth.strategy/1";

  StrategyPlanner() = default;
  StrategyPlanner(const StrategyPlanner&) = delete;
  StrategyPlanner& operator=(const StrategyPlanner&) = delete;
  virtual ~StrategyPlanner();

  /// The best `top_k` plans of a problem that passed check_problem(). Deterministic: ties go to the
  /// smaller configuration, then the smaller degree, then the fewer stages.
  /// @throws InputError if the problem holds what the planner cannot plan, saying what.
  [[nodiscard]] virtual StrategyAnswer plan(const StrategyProblem& problem,
                                            std::uint32_t top_k) = 0;
};

}  // namespace abi_v1
}  // namespace berth
