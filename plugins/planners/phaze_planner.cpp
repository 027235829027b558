// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "phaze_planner.hpp"

#include <algorithm>

#include "cut_dp.hpp"
#include "flat_network.hpp"
#include "plan_builder.hpp"
#include "planner_options.hpp"

namespace berth::planners {
namespace {

class PhazePlanner final : public StrategyPlanner {
 public:
  explicit PhazePlanner(const PlanRules& rules) : rules_(rules) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    StrategyProblem flat = problem;
    flat.network = flat_network(problem.network);
    PlanBook book(problem, rules_, top_k);
    const CutView view{rules_, false, false};
    for (const Estimate& estimate :
         search_degrees(flat, view, 3, std::max<std::size_t>(top_k, 1))) {
      book.enter(estimate.choice);
    }
    return std::move(book).answer("phaze");
  }

 private:
  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_phaze(const HostServices& host) {
  return std::make_unique<PhazePlanner>(rules_of(*host.config));
}

}  // namespace berth::planners
