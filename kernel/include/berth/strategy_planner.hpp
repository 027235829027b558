// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
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
  std::vector<ParallelPlan> plans;      ///< By key, best first; at most as many as asked for.
  std::vector<std::string> infeasible;  ///< One line per binding constraint; only without plans.
  std::uint64_t candidates = 0;         ///< Configurations with degrees and stage counts.
  std::uint64_t solved = 0;             ///< Of them, those whose stages were optimised.
  std::vector<std::string> notes;       ///< What the planner wants said, one line each.
};

/// Which of a problem's work items one process takes: those with item mod count = rank.
struct WorkShare {
  std::uint32_t rank = 0;
  std::uint32_t count = 1;

  [[nodiscard]] bool holds(std::size_t item) const noexcept { return item % count == rank; }
};

/// An algorithm that plans distributed training: `berth.strategy/1`.
class BERTH_API StrategyPlanner {
 public:
  static constexpr std::string_view kInterface = "berth.strategy/1";

  StrategyPlanner() = default;
  StrategyPlanner(const StrategyPlanner&) = delete;
  StrategyPlanner& operator=(const StrategyPlanner&) = delete;
  virtual ~StrategyPlanner();

  /// Into how many independent searches the problem falls, 1 or more: outer configurations, say. A
  /// planner knows nothing of processes; whoever calls it divides the items.
  [[nodiscard]] virtual std::size_t work_items(const StrategyProblem& problem);

  /// The best `top_k` plans over the items that `share` holds, of a problem that passed
  /// check_problem(). Deterministic, and blind to how the items are divided: merge_answers() over
  /// any division gives the plans of the undivided search. Reasons for infeasibility are about the
  /// whole problem. Called only if the share holds an item.
  /// @throws InputError if the problem holds what the planner cannot plan, saying what.
  [[nodiscard]] virtual StrategyAnswer plan(const StrategyProblem& problem,
                                            std::uint32_t top_k,
                                            const WorkShare& share) = 0;

  /// All items.
  [[nodiscard]] StrategyAnswer plan_all(const StrategyProblem& problem, std::uint32_t top_k) {
    return plan(problem, top_k, WorkShare{});
  }
};

/// The answer of the undivided search from those of its shares, by rank: the best `top_k` plans by
/// key, or the first share's reasons if no share has a plan. Counts are added, notes kept once.
[[nodiscard]] BERTH_API StrategyAnswer merge_answers(std::vector<StrategyAnswer> answers,
                                                     std::uint32_t top_k);

}  // namespace abi_v1
}  // namespace berth
