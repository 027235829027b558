// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>
#include <utility>

#include "berth/strategy_planner.hpp"

namespace berth {
inline namespace abi_v1 {

StrategyAnswer merge_answers(std::vector<StrategyAnswer> answers, std::uint32_t top_k) {
  StrategyAnswer merged;
  for (StrategyAnswer& answer : answers) {
    std::move(answer.plans.begin(), answer.plans.end(), std::back_inserter(merged.plans));
    if (merged.infeasible.empty()) {
      merged.infeasible = std::move(answer.infeasible);
    }
    merged.candidates += answer.candidates;
    merged.solved += answer.solved;
    for (std::string& note : answer.notes) {
      if (std::find(merged.notes.begin(), merged.notes.end(), note) == merged.notes.end()) {
        merged.notes.push_back(std::move(note));
      }
    }
  }
  std::stable_sort(merged.plans.begin(),
                   merged.plans.end(),
                   [](const ParallelPlan& a, const ParallelPlan& b) { return a.key < b.key; });
  if (merged.plans.size() > top_k) {
    merged.plans.resize(top_k);
  }
  if (!merged.plans.empty()) {
    merged.infeasible.clear();
  }
  return merged;
}

}  // namespace abi_v1
}  // namespace berth
