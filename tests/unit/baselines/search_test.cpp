// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "annealing.hpp"
#include "example_problems.hpp"

namespace berth::baselines {
namespace {

TEST(Annealing, SpendsItsSimulationsAndNoMore) {
  const auto problem = ten_tasks(Discipline::kFifo);
  Evaluator evaluator(*problem);
  Rng rng(1);

  static_cast<void>(make_policy(make_annealing, kAnnealingOptions, {{"simulations", "500"}})
                        ->place(*problem, evaluator, rng));

  EXPECT_EQ(evaluator.simulations(), 500U);
}

TEST(Annealing, IsDeterministicForASeed) {
  const auto problem = ten_tasks(Discipline::kAuto);
  const auto policy = make_policy(make_annealing, kAnnealingOptions);
  const auto place = [&](std::uint64_t seed) {
    Evaluator evaluator(*problem, {.simulations = 2000});
    Rng rng(seed);
    return policy->place(*problem, evaluator, rng);
  };

  EXPECT_EQ(place(3), place(3));
}

TEST(Annealing, RefinesTheEvaluatorsBest) {
  const auto problem = identical_problem(std::vector<double>(8, 1.0), {}, 4, Discipline::kFifo);
  Evaluator evaluator(*problem, {.simulations = 2});
  Rng rng(1);
  const std::vector<DeviceId> given(8, DeviceId{3});
  ASSERT_EQ(evaluator(given), 8.0);

  const Placement refined =
      make_policy(make_annealing, kAnnealingOptions)->place(*problem, evaluator, rng);

  // One simulation is left: at best one op moves away.
  EXPECT_GE(Simulator(*problem).makespan(refined), 7.0);
}

TEST(Annealing, StopsAtTheLowerBound) {
  // Eight equal independent ops on four devices: 2 is the bound, and ETF reaches it.
  const auto problem = identical_problem(std::vector<double>(8, 1.0), {}, 4);
  Evaluator evaluator(*problem);
  Rng rng(1);

  static_cast<void>(
      make_policy(make_annealing, kAnnealingOptions)->place(*problem, evaluator, rng));

  EXPECT_EQ(evaluator.best_makespan(), 2.0);
  EXPECT_LT(evaluator.simulations(), 20U);
}

}  // namespace
}  // namespace berth::baselines
