// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mist_planner.hpp"

#include <algorithm>

#include "cut_dp.hpp"
#include "plan_builder.hpp"
#include "planner_options.hpp"

namespace berth::planners {
namespace {

class MistPlanner final : public StrategyPlanner {
 public:
  explicit MistPlanner(const PlanRules& rules) : rules_(rules) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    PlanBook book(problem, rules_, top_k);
    const CutView view{rules_, true, true};
    for (const Estimate& estimate :
         search_degrees(problem, view, 3, std::max<std::size_t>(top_k, 1))) {
      book.enter(estimate.choice);
    }
    return std::move(book).answer("mist");
  }

 private:
  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_mist(const HostServices& host) {
  return std::make_unique<MistPlanner>(rules_of(*host.config));
}

}  // namespace berth::planners
