// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include <gtest/gtest.h>

#include "berth/plan_score.hpp"

#include "every_plan.hpp"
#include "plugins/nest/mixed_search.hpp"
#include "plugins/nest/outer_search.hpp"

// The default mode against every plan there is.
namespace berth {
namespace {

using nest::SearchSettings;
using testing::exhaustive_mixed;
using testing::exhaustive_uniform;
using testing::random_problem;

SearchSettings pinned(const std::string& pins) {
  SearchSettings settings;
  settings.pins = nest::parse_pins(pins);
  return settings;
}

// Times per batch within rounding, infeasible where the other is; the kernel finds the same time.
void expect_same(const StrategyProblem& problem,
                 const StrategyAnswer& answer,
                 double expected,
                 std::uint64_t seed) {
  ASSERT_EQ(answer.plans.empty(), std::isinf(expected)) << "seed " << seed;
  if (!answer.plans.empty()) {
    const ParallelPlan& plan = answer.plans[0];
    ASSERT_NEAR(plan.seconds_per_batch, expected, 1e-9 * expected) << "seed " << seed;
    const PlanScore score = score_plan(problem, plan, {});
    EXPECT_TRUE(score.fits) << "seed " << seed;
    EXPECT_NEAR(score.seconds_per_batch, expected, 1e-9 * expected) << "seed " << seed;
  }
}

// Plain and tensor 2, which stages may mix.
StrategyProblem mixable_problem(std::uint64_t seed, std::size_t layers, std::size_t devices) {
  StrategyProblem problem = random_problem(seed, layers, devices);
  problem.configurations.resize(2);
  Rng rng(seed, {9});
  const auto batch = static_cast<std::uint32_t>(1 + rng.below(9));
  for (StrategyConfiguration& c : problem.configurations) {
    c.micro_batches = batch;
  }
  return problem;
}

TEST(NestExhaustive, EqualStagesOnUnequalGroupsAnyDeviceCountAndEveryZeroStage) {
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, {5});
    const std::size_t devices = std::vector<std::size_t>{1, 3, 6, 7, 8, 12, 16}[rng.below(7)];
    const std::size_t most = devices > 8 ? 4 : seed % 10 == 0 ? 8 : 5;
    const StrategyProblem problem = random_problem(1000 + seed, 1 + rng.below(most), devices);
    const auto zero = static_cast<std::uint32_t>(rng.below(4));

    const StrategyAnswer answer =
        nest::plan_default(problem, pinned("vpp=1,mixed=false,zero=" + std::to_string(zero)), 1);

    expect_same(problem, answer, exhaustive_uniform(problem, zero, {1, 1}), seed);
    infeasible += answer.plans.empty() ? 1 : 0;
  }
  EXPECT_GT(infeasible, 5);
  EXPECT_LT(infeasible, 120);
}

TEST(NestExhaustive, InterleavedPlansOfUpToEightLayersAndDevices) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Rng rng(seed, {6});
    const std::size_t devices = std::vector<std::size_t>{2, 3, 6, 7, 8}[rng.below(5)];
    StrategyProblem problem = random_problem(2000 + seed, 4 + rng.below(5), devices);
    for (StrategyConfiguration& c : problem.configurations) {
      c.micro_batches = 12;  // divides by many depths
    }
    for (DeviceClass& device_class : problem.classes) {
      device_class.memory_bytes *= 1.5;
    }
    const auto zero = static_cast<std::uint32_t>(rng.below(2));
    const bool two_chunks = seed % 2 == 0;
    const std::string pins = "mixed=false,zero=" + std::to_string(zero);

    const StrategyAnswer answer =
        nest::plan_default(problem, pinned(two_chunks ? pins + ",vpp=2" : pins), 1);

    const testing::Chunks chunks{2, two_chunks ? 2 : problem.layers.size()};
    double expected = exhaustive_uniform(problem, zero, chunks);
    if (!two_chunks) {
      expected = std::min(expected, exhaustive_uniform(problem, zero, {1, 1}));
    }
    expect_same(problem, answer, expected, seed);
    found += !answer.plans.empty() && answer.plans[0].chunks > 1 ? 1 : 0;
  }
  EXPECT_GT(found, 5) << "interleaving never paid";
}

TEST(NestExhaustive, StagesOfUnequalTensorWidthAndReplicas) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Rng rng(seed, {7});
    const std::size_t devices = 2 + rng.below(6);
    const StrategyProblem problem = mixable_problem(3000 + seed, 2 + rng.below(5), devices);
    const auto zero = static_cast<std::uint32_t>(rng.below(4));

    const StrategyAnswer answer =
        nest::plan_default(problem, pinned("mixed=true,zero=" + std::to_string(zero)), 1);

    expect_same(problem, answer, exhaustive_mixed(problem, {0, 1}, zero), seed);
    found += answer.plans.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 40);
}

TEST(NestExhaustive, EightUnequalStagesOnEightDevices) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const StrategyProblem problem = mixable_problem(4000 + seed, 8, 8);
    const auto zero = static_cast<std::uint32_t>(seed % 4);

    const StrategyAnswer answer =
        nest::plan_default(problem, pinned("mixed=true,zero=" + std::to_string(zero)), 1);

    expect_same(problem, answer, exhaustive_mixed(problem, {0, 1}, zero), seed);
    found += answer.plans.empty() ? 0 : 1;
  }
  EXPECT_GE(found, 4);
}

TEST(NestExhaustive, AllKindsOfPlansTogether) {
  int unequal = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Rng rng(seed, {10});
    const bool large = seed % 8 == 0;
    const std::size_t devices = large ? 8 : 2 + rng.below(5);
    const StrategyProblem problem =
        mixable_problem(5000 + seed, large ? 8 : 3 + rng.below(3), devices);

    const StrategyAnswer answer = nest::plan_default(problem, {}, 1);

    double expected = INFINITY;
    for (std::uint32_t zero = 0; zero <= 3; ++zero) {
      expected = std::min({expected,
                           exhaustive_uniform(problem, zero, {1, 1}),
                           exhaustive_uniform(problem, zero, {2, problem.layers.size()}),
                           exhaustive_mixed(problem, {0, 1}, zero)});
    }
    expect_same(problem, answer, expected, seed);
    unequal += !answer.plans.empty() && !answer.plans[0].is_uniform() ? 1 : 0;
  }
  EXPECT_GT(unequal, 2) << "unequal stages never paid";
}

}  // namespace
}  // namespace berth
