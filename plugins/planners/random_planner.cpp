// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "random_planner.hpp"

#include "random_choice.hpp"

namespace berth::planners {
namespace {

class RandomPlanner final : public StrategyPlanner {
 public:
  explicit RandomPlanner(const HostServices& host)
      : evaluations_(host.config->integer("evaluations")),
        rules_(rules_of(*host.config)),
        seed_(host.seed) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    PlanBook book(problem, rules_, top_k);
    Rng rng(seed_, {0x72616e64});
    for (std::int64_t draw = 0; draw < evaluations_; ++draw) {
      book.enter(random_choice(problem, rng));
    }
    return std::move(book).answer("random");
  }

 private:
  std::int64_t evaluations_;
  PlanRules rules_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_random_planner(const HostServices& host) {
  return std::make_unique<RandomPlanner>(host);
}

}  // namespace berth::planners
