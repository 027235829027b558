// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_ranks.hpp"

namespace berth::launcher {

// Built where there is no MPI.
StrategyAnswer plan_on_ranks(JobRanks& /*ranks*/,
                             StrategyPlanner& planner,
                             const StrategyProblem& problem,
                             std::uint32_t top_k) {
  return planner.plan_all(problem, top_k);
}

}  // namespace berth::launcher
