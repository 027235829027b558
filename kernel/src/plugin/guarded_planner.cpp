// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_planner.hpp"

#include <cmath>

namespace berth::internal {
namespace {

class GuardedStrategyPlanner final : public StrategyPlanner {
 public:
  explicit GuardedStrategyPlanner(std::unique_ptr<PluginObject> object)
      : object_(std::move(object)) {}

  std::size_t work_items(const StrategyProblem& problem) override {
    const std::size_t items = guarded(object_->who(), "work_items", [&] {
      return object_->as<StrategyPlanner>().work_items(problem);
    });
    if (items == 0) {
      throw PluginError(object_->who() + ": work_items answered 0; expected 1 or more");
    }
    return items;
  }

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& share) override {
    StrategyAnswer answer = guarded(object_->who(), "plan", [&] {
      return object_->as<StrategyPlanner>().plan(problem, top_k, share);
    });
    const std::string answered = object_->who() + ": plan answered ";
    if (answer.plans.size() > top_k) {
      throw PluginError(answered + std::to_string(answer.plans.size()) +
                        " plans; expected at most " + std::to_string(top_k));
    }
    if (answer.plans.empty() && answer.infeasible.empty()) {
      throw PluginError(answered + "no plan and no reason; expected one of them");
    }
    for (const ParallelPlan& plan : answer.plans) {
      if (!std::isfinite(plan.seconds_per_batch) || plan.seconds_per_batch < 0.0) {
        throw PluginError(answered + "a time of " + std::to_string(plan.seconds_per_batch) +
                          " s; expected a finite number, zero or more");
      }
      try {
        check_plan(problem, plan);
      } catch (const InputError& error) {
        throw PluginError(answered + "an illegal plan: " + error.what());
      }
    }
    return answer;
  }

 private:
  std::unique_ptr<PluginObject> object_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> guard_planner(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedStrategyPlanner>(std::move(object));
}

}  // namespace berth::internal
