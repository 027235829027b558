// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/plan_score.hpp"

#include "plugins/planners/alpa_planner.hpp"
#include "plugins/planners/exhaustive_planner.hpp"
#include "plugins/planners/layer_split.hpp"
#include "plugins/planners/manual_planner.hpp"
#include "plugins/planners/mist_planner.hpp"
#include "plugins/planners/phaze_planner.hpp"
#include "plugins/planners/piper_planner.hpp"
#include "plugins/planners/random_planner.hpp"
#include "plugins/planners/uniform_planner.hpp"
#include "tests/error_text.hpp"
#include "tests/unit/planners/small_strategies.hpp"

namespace berth {
namespace {

using testing::PlannerUnderTest;
using testing::small_strategy;

struct Offered {
  const char* name;
  std::unique_ptr<StrategyPlanner> (*make)(const HostServices&);
  std::span<const berth_option_spec> options;
  bool per_stage_degrees;  // may then beat plans of equal degrees
};

const std::vector<Offered>& offered() {
  static const std::vector<Offered> kAll = {
      {"manual", planners::make_manual, planners::kManualOptions, false},
      {"uniform", planners::make_uniform, planners::kCommonOptions, false},
      {"alpa", planners::make_alpa, planners::kAlpaOptions, true},
      {"phaze", planners::make_phaze, planners::kCommonOptions, false},
      {"mist", planners::make_mist, planners::kCommonOptions, false},
      {"piper", planners::make_piper, planners::kCommonOptions, true},
      {"mcmc", planners::make_mcmc, planners::kMcmcOptions, false},
      {"random", planners::make_random_planner, planners::kRandomOptions, false}};
  return kAll;
}

double least_of_all(const StrategyProblem& problem) {
  const StrategyAnswer answer =
      PlannerUnderTest(planners::make_exhaustive_planner, planners::kExhaustiveOptions)
          .plan(problem);
  return answer.plans.empty() ? INFINITY : answer.plans[0].seconds_per_batch;
}

TEST(Planners, AnswerWithPlansThatFitAndCarryTheEvaluatorsTimeAndNoneBeatsEnumeration) {
  int plans = 0;
  int reasons = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const StrategyProblem problem = small_strategy(seed);
    const double least = least_of_all(problem);
    for (const Offered& planner : offered()) {
      SCOPED_TRACE(std::string(planner.name) + " " + std::to_string(seed));
      const StrategyAnswer answer = PlannerUnderTest(planner.make, planner.options).plan(problem);
      if (answer.plans.empty()) {
        EXPECT_FALSE(answer.infeasible.empty());
        ++reasons;
        continue;
      }
      ++plans;
      const PlanScore score = score_plan(problem, answer.plans[0], {});
      EXPECT_TRUE(score.fits);
      EXPECT_DOUBLE_EQ(score.seconds_per_batch, answer.plans[0].seconds_per_batch);
      if (!planner.per_stage_degrees) {
        EXPECT_GE(score.seconds_per_batch, least * (1.0 - 1e-12));
      }
    }
  }
  EXPECT_GE(plans, 28);
}

TEST(Planners, NothingFitsInAMegabyteAndEachSaysSo) {
  StrategyProblem problem = small_strategy(1);
  problem.classes[0].memory_bytes = 1e6;
  for (const Offered& planner : offered()) {
    SCOPED_TRACE(planner.name);
    const StrategyAnswer answer = PlannerUnderTest(planner.make, planner.options).plan(problem);
    EXPECT_TRUE(answer.plans.empty());
    EXPECT_FALSE(answer.infeasible.empty());
  }
}

TEST(Planners, SameSeedSamePlanOtherSeedOtherWalk) {
  const StrategyProblem problem = small_strategy(2, 6);
  const auto run = [&](std::uint64_t seed) {
    return PlannerUnderTest(
               planners::make_mcmc, planners::kMcmcOptions, {{"evaluations", "40"}}, seed)
        .plan(problem)
        .plans.at(0)
        .seconds_per_batch;
  };
  EXPECT_EQ(run(5), run(5));
  bool differs = false;
  for (std::uint64_t seed = 6; seed < 12; ++seed) {
    differs = differs || run(seed) != run(5);
  }
  EXPECT_TRUE(differs);
}

TEST(Mcmc, FindsTheOptimumOfASmallProblemWithAFewThousandScores) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const StrategyProblem problem = small_strategy(seed);
    const StrategyAnswer answer =
        PlannerUnderTest(
            planners::make_mcmc, planners::kMcmcOptions, {{"evaluations", "4000"}, {"chains", "8"}})
            .plan(problem);
    ASSERT_FALSE(answer.plans.empty());
    EXPECT_EQ(answer.candidates, 4000U);
    EXPECT_NEAR(answer.plans[0].seconds_per_batch / least_of_all(problem), 1.0, 0.02);
  }
}

TEST(Manual, KeepsTheGivenDegreesAndLayers) {
  const StrategyProblem problem = small_strategy(3);
  const StrategyAnswer answer =
      PlannerUnderTest(planners::make_manual,
                       planners::kManualOptions,
                       {{"data", "2"}, {"tensor", "1"}, {"layers", "1,3"}})
          .plan(problem);
  ASSERT_FALSE(answer.plans.empty());
  const ParallelPlan& plan = answer.plans[0];
  EXPECT_EQ(plan.data, 2U);
  EXPECT_EQ(plan.tensor, 1U);
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[0].num_layers, 1U);
}

TEST(Manual, BestCutsOfItsDegreesAreTheBestOfAllCuts) {
  // One level and no parameters: the planner's view of a stage is then the evaluator's.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    StrategyProblem problem = small_strategy(seed, 5);
    problem.network =
        NetworkLevels::uniform(std::vector<std::uint32_t>{4}, {{"node", 1e9, 1e-5, 0.0, 1}});
    for (StrategyConfiguration& c : problem.configurations) {
      for (LayerCost& cost : c.costs) {
        cost.dense_parameters = 0.0;
      }
    }
    StrategyProblem narrow = problem;  // one configuration, so that enumeration keeps to it
    narrow.configurations = {problem.configurations[0]};
    double least = INFINITY;
    for (const char* layers : {"1,4", "2,3", "3,2", "4,1"}) {
      for (const char* packing : {"pipeline-inner", "data-inner"}) {
        const StrategyAnswer given =
            PlannerUnderTest(
                planners::make_manual,
                planners::kManualOptions,
                {{"data", "2"}, {"layers", layers}, {"zero", "0"}, {"packing", packing}})
                .plan(narrow);
        least = given.plans.empty() ? least : std::min(least, given.plans[0].seconds_per_batch);
      }
    }
    const StrategyAnswer best =
        PlannerUnderTest(planners::make_manual,
                         planners::kManualOptions,
                         {{"data", "2"}, {"stages", "2"}, {"zero", "0"}, {"cuts", "best"}})
            .plan(narrow);
    if (std::isinf(least)) {
      continue;
    }
    ASSERT_FALSE(best.plans.empty());
    EXPECT_LE(best.plans[0].seconds_per_batch, least * (1.0 + 1e-12));
  }
}

TEST(Manual, RefusesDegreesAndLayersThatTheModelHasNot) {
  const StrategyProblem problem = small_strategy(0);
  const auto message = [&](const std::string& option, const std::string& value) {
    return testing::error_text<InputError>([&] {
      PlannerUnderTest planner(planners::make_manual, planners::kManualOptions, {{option, value}});
      static_cast<void>(planner.plan(problem));
    });
  };
  EXPECT_NE(message("tensor", "3").find("tensor=3"), std::string::npos);
  EXPECT_NE(message("layers", "1,2").find("adds up to 3; expected 4"), std::string::npos);
  EXPECT_NE(message("layers", "1,x").find("expected layers per stage"), std::string::npos);
}

TEST(Exhaustive, RefusesWhatWouldTakeTooLong) {
  const StrategyProblem problem = small_strategy(0, 30);
  const std::string text = testing::error_text<InputError>([&] {
    PlannerUnderTest planner(
        planners::make_exhaustive_planner, planners::kExhaustiveOptions, {{"evaluations", "1000"}});
    static_cast<void>(planner.plan(problem));
  });
  EXPECT_NE(text.find("expected at most evaluations=1000"), std::string::npos);
}

TEST(LayerSplit, EndsJoinTheOuterStagesAndTheRestIsDealtEvenly) {
  StrategyProblem problem = small_strategy(0, 9);
  problem.layers.front() = "embedding";
  problem.layers.back() = "head";
  // Seven layers between the ends: 3, 2, 2.
  EXPECT_EQ(planners::even_split(problem, 3), (std::vector<std::uint32_t>{4, 2, 3}));
  EXPECT_TRUE(planners::even_split(problem, 8).empty());
  EXPECT_EQ(planners::parse_split(problem, "3,4"), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(planners::parse_split(problem, "4,5"), (std::vector<std::uint32_t>{4, 5}));
}

}  // namespace
}  // namespace berth
