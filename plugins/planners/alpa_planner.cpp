// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "alpa_planner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "alpa_stages.hpp"
#include "plan_builder.hpp"

namespace berth::planners {
namespace {

constexpr double kBoundStep = 1.02;
constexpr double kMemoryStep = 0.92;  // if the plan proves too tight when scored
constexpr int kMemorySteps = 8;

class AlpaPlanner final : public StrategyPlanner {
 public:
  AlpaPlanner(std::uint32_t groups, const PlanRules& rules) : groups_(groups), rules_(rules) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> mixes;
    for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
      const StrategyConfiguration& c = problem.configurations[index];
      if (c.context == 1 && c.block() <= problem.network.num_devices()) {
        mixes[{c.micro_batch, c.micro_batches}].push_back(index);
      }
    }
    PlanBook book(problem, rules_, top_k);
    double expected = INFINITY;
    for (const auto& [key, configurations] : mixes) {
      for (std::uint32_t zero = 0; zero < 4; ++zero) {
        propose(problem, configurations, zero, expected, book);
      }
    }
    return std::move(book).answer("alpa");
  }

 private:
  void propose(const StrategyProblem& problem,
               const std::vector<std::uint32_t>& configurations,
               std::uint32_t zero,
               double& expected,
               PlanBook& book) const {
    double memory = 1.0;
    for (int step = 0; step < kMemorySteps; ++step, memory *= kMemoryStep) {
      const AlpaStages stages(problem, configurations, groups_, zero, memory);
      const auto found = stages.search(expected, kBoundStep);
      if (!found) {
        return;
      }
      if (book.enter(found->choice).fits) {
        expected = found->seconds;
        return;
      }
    }
  }

  std::uint32_t groups_;
  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_alpa(const HostServices& host) {
  return std::make_unique<AlpaPlanner>(static_cast<std::uint32_t>(host.config->integer("groups")),
                                       rules_of(*host.config));
}

}  // namespace berth::planners
