// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_ranks.hpp"

namespace berth::launcher {

// Built where there is no MPI: one process.
class MpiSession {};

PlanRanks::PlanRanks() = default;
PlanRanks::~PlanRanks() = default;
int PlanRanks::rank() const noexcept {
  return 0;
}
int PlanRanks::size() const noexcept {
  return 1;
}

StrategyAnswer PlanRanks::plan(StrategyPlanner& planner,
                               const StrategyProblem& problem,
                               std::uint32_t top_k) {
  return planner.plan_all(problem, top_k);
}

int PlanRanks::run(const std::function<int(PlanRanks&)>& action) {
  PlanRanks alone;
  return action(alone);
}

}  // namespace berth::launcher
