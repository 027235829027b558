// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_ranks.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "plan_message.hpp"

namespace berth::launcher {

StrategyAnswer plan_on_ranks(JobRanks& ranks,
                             StrategyPlanner& planner,
                             const StrategyProblem& problem,
                             std::uint32_t top_k) {
  if (ranks.size() == 1) {
    return planner.plan_all(problem, top_k);
  }
  const std::size_t items = planner.work_items(problem);
  const WorkShare share{ranks.rank(),
                        static_cast<std::uint32_t>(std::min<std::size_t>(items, ranks.size()))};
  StrategyAnswer mine;
  if (share.rank < share.count) {
    mine = planner.plan(problem, top_k, share);
  }
  std::vector<StrategyAnswer> answers;
  for (const std::string& bytes : ranks.all_gather(to_bytes(mine), "plans", 0.0)) {
    answers.push_back(from_bytes<StrategyAnswer>(bytes));
  }
  return merge_answers(std::move(answers), top_k);
}

}  // namespace berth::launcher
