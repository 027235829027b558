// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plugins/nest/outer_search.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "berth/plan_score.hpp"
#include "berth/strategy_planner.hpp"

#include "random_problem.hpp"

namespace berth {
namespace {

using nest::SearchSettings;
using testing::random_problem;

// Two layers of 1 + 2 s that keep 1 GB a micro-batch, on a large device and a small one.
StrategyProblem large_and_small(double large, double small) {
  StrategyProblem problem;
  problem.model = "two layers";
  problem.cluster = "pair";
  problem.layers = {"a", "b"};
  const std::uint32_t units[] = {2};
  problem.network = NetworkLevels::uniform(units, {{"link", 1e9, 0.0, 0.0, 1}});
  problem.classes = {{"Large", large, 0.0, 3.0}, {"Small", small, 0.0, 1.0}};
  problem.class_of_device = {0, 1};
  problem.recompute_allowed = false;
  LayerCost cost;
  cost.forward_seconds = 1.0;
  cost.backward_seconds = 2.0;
  cost.saved_bytes = {1e9, 1e9, 1e9};
  StrategyConfiguration configuration;
  configuration.micro_batches = 7;
  configuration.kinds = {0, 0};
  configuration.costs = {cost, cost};
  configuration.edges = {{0, 1, 0.0}};
  problem.configurations = {configuration};
  check_problem(problem);
  return problem;
}

TEST(NestOuterSearch, PutsTheFirstStageWhereTheMemoryIs) {
  // The first stage keeps two micro-batches, 2 GB, the last one. By number the last stage takes
  // device 0, the large one, and the first does not fit on the small one; in the other order both
  // fit: 6 s + (7 - 1) * 3 s = 24 s, against 7 * 6 s on the large device alone.
  const StrategyProblem problem = large_and_small(2.5e9, 1.5e9);

  const StrategyAnswer answer = nest::plan_default(problem, SearchSettings{}, 1);

  ASSERT_EQ(answer.plans.size(), 1U);
  EXPECT_DOUBLE_EQ(answer.plans[0].seconds_per_batch, 24.0);
  EXPECT_EQ(answer.plans[0].class_order, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(answer.plans[0].stages[0].blocks, (std::vector<std::vector<std::uint32_t>>{{0}}));
  EXPECT_TRUE(score_plan(problem, answer.plans[0], {}).fits);
}

TEST(NestOuterSearch, CostTakesTheCheapDevicesAndDevicesTheFewest) {
  // Both layers fit on either device. Alone: 42 s, on the small one for 42 * 1 / 3600. Together 24
  // s for 24 * 4 / 3600.
  const StrategyProblem problem = large_and_small(9e9, 9e9);
  SearchSettings settings;

  settings.objective = nest::Objective::kCost;
  const StrategyAnswer cheapest = nest::plan_default(problem, settings, 1);
  settings.objective = nest::Objective::kDevices;
  const StrategyAnswer fewest = nest::plan_default(problem, settings, 1);

  ASSERT_EQ(cheapest.plans.size(), 1U);
  EXPECT_EQ(cheapest.plans[0].stages[0].blocks, (std::vector<std::vector<std::uint32_t>>{{1}}));
  EXPECT_NEAR(cheapest.plans[0].key.objective, 42.0 / 3600.0, 1e-12);
  ASSERT_EQ(fewest.plans.size(), 1U);
  EXPECT_EQ(fewest.plans[0].devices_used(), 1U);
}

TEST(NestOuterSearch, SaysWhatEveryClassNeedsAndTheSmallestChange) {
  // One layer a device: 2 GB and 1 GB in flight; optimizer states of 100 M parameters weigh 1.2 GB.
  StrategyProblem problem = large_and_small(2.5e9, 1.5e9);
  problem.memory = {2.0, 2.0, 12.0, 0.0};
  for (LayerCost& cost : problem.configurations[0].costs) {
    cost.dense_parameters = 1e8;
  }

  const StrategyAnswer answer = nest::plan_default(problem, SearchSettings{}, 1);

  ASSERT_TRUE(answer.plans.empty());
  ASSERT_EQ(answer.infeasible.size(), 3U);
  // 0.4 GB of weights and gradients and 1.2 GB of states beside the activations.
  EXPECT_NE(answer.infeasible[0].find("needs at least"), std::string::npos);
  EXPECT_NE(answer.infeasible[1].find("the fullest"), std::string::npos);
  const std::string both = answer.infeasible[0] + answer.infeasible[1];
  EXPECT_NE(both.find("the fullest Large"), std::string::npos) << both;
  EXPECT_NE(both.find("the fullest Small"), std::string::npos) << both;
  EXPECT_NE(both.find("optimizer 1.2 GB"), std::string::npos) << both;
  // 12 bytes a parameter less: 2.4 GB of 2.5, 1.4 GB of 1.5.
  EXPECT_NE(answer.infeasible[2].find("it would fit with --optimizer sgd"), std::string::npos)
      << answer.infeasible[2];
}

TEST(NestOuterSearch, AnyDivisionOfTheWorkMergesToTheSamePlans) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed, {9});
    StrategyProblem problem = random_problem(4000 + seed, 2 + rng.below(4), 2 + rng.below(7));
    for (DeviceClass& device_class : problem.classes) {
      device_class.memory_bytes *= 2.0;
    }
    const SearchSettings settings;
    const StrategyAnswer alone = nest::plan_default(problem, settings, 5);
    const std::size_t items = nest::default_work_items(problem);
    ASSERT_GT(items, problem.configurations.size());

    for (std::uint32_t count = 2; count <= items; ++count) {
      std::vector<StrategyAnswer> answers;
      for (std::uint32_t rank = 0; rank < count; ++rank) {
        answers.push_back(nest::plan_default(problem, settings, 5, {rank, count}));
        ASSERT_TRUE(!answers.back().plans.empty() || !answers.back().infeasible.empty());
      }
      const StrategyAnswer merged = merge_answers(std::move(answers), 5);

      ASSERT_EQ(merged.plans.size(), alone.plans.size()) << "seed " << seed;
      EXPECT_EQ(merged.infeasible, alone.infeasible) << "seed " << seed;
      for (std::size_t k = 0; k < alone.plans.size(); ++k) {
        const ParallelPlan& a = alone.plans[k];
        const ParallelPlan& b = merged.plans[k];
        EXPECT_TRUE(!(a.key < b.key) && !(b.key < a.key)) << "seed " << seed << ", plan " << k;
        ASSERT_EQ(a.stages.size(), b.stages.size()) << "seed " << seed << ", plan " << k;
        for (std::size_t q = 0; q < a.stages.size(); ++q) {
          EXPECT_EQ(a.stages[q].blocks, b.stages[q].blocks);
          EXPECT_EQ(a.stages[q].num_layers, b.stages[q].num_layers);
          EXPECT_EQ(a.stages[q].recompute, b.stages[q].recompute);
        }
      }
    }
  }
}

TEST(NestOuterSearch, EveryPlanOfTheListFitsAndScoresAsPromised) {
  int interleaved = 0;
  int unequal = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, {10});
    StrategyProblem problem = random_problem(5000 + seed, 4 + rng.below(5), 4 + rng.below(5));
    for (StrategyConfiguration& c : problem.configurations) {
      c.micro_batches = 12;
    }

    const StrategyAnswer answer = nest::plan_default(problem, SearchSettings{}, 10);

    for (const ParallelPlan& plan : answer.plans) {
      const PlanScore score = score_plan(problem, plan, {});
      EXPECT_TRUE(score.fits) << "seed " << seed;
      EXPECT_NEAR(score.seconds_per_batch, plan.seconds_per_batch, 1e-9 * plan.seconds_per_batch)
          << "seed " << seed;
      interleaved += plan.chunks > 1 ? 1 : 0;
      unequal += plan.is_uniform() ? 0 : 1;
    }
  }
  EXPECT_GT(interleaved, 10);
  EXPECT_GT(unequal, 10);
}

TEST(NestOuterSearch, UnequalStagesOnLargerClustersTakeWholeUnitsAndScoreAsPromised) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed, {11});
    StrategyProblem problem = random_problem(6000 + seed, 5 + rng.below(8), 17 + rng.below(40));
    for (StrategyConfiguration& c : problem.configurations) {
      c.micro_batches = static_cast<std::uint32_t>(20 + rng.below(30));
    }
    SearchSettings settings;
    settings.pins = nest::parse_pins("mixed=true");

    const StrategyAnswer answer = nest::plan_default(problem, settings, 3);

    const std::size_t node = problem.network.largest_unit(0);
    for (const ParallelPlan& plan : answer.plans) {
      const PlanScore score = score_plan(problem, plan, {});
      EXPECT_FALSE(plan.is_uniform());
      EXPECT_TRUE(score.fits) << "seed " << seed;
      EXPECT_NEAR(score.seconds_per_batch, plan.seconds_per_batch, 1e-9 * plan.seconds_per_batch)
          << "seed " << seed;
      for (const PlanStage& stage : plan.stages) {
        EXPECT_EQ(stage.replicas() * stage.devices % node, 0U) << "seed " << seed;
      }
      ++found;
    }
  }
  EXPECT_GT(found, 5);
}

}  // namespace
}  // namespace berth
