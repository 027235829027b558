// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/strategy_planner.hpp"

#include "job_ranks.hpp"

namespace berth::launcher {

/// The plans of all work items, on every rank: the ranks divide the planner's items and end with
/// the same plans as one process. @throws what the planner throws on this rank, or a failure of
/// another rank.
[[nodiscard]] StrategyAnswer plan_on_ranks(JobRanks& ranks,
                                           StrategyPlanner& planner,
                                           const StrategyProblem& problem,
                                           std::uint32_t top_k);

}  // namespace berth::launcher
