// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/plan_score.hpp"
#include "berth/rng.hpp"

#include "plugins/nest/outer_search.hpp"
#include "random_problem.hpp"

namespace berth {
namespace {

using nest::SearchSettings;
using testing::all_orders;
using testing::random_problem;

// Every cut and every recomputation per stage of one layout.
void score_all(const StrategyProblem& problem,
               const std::vector<std::uint32_t>& devices,
               ParallelPlan plan,
               std::size_t stages,
               double& best) {
  const std::size_t n = problem.layers.size();
  const std::size_t block = problem.configurations[plan.configuration].block();
  for (std::uint32_t cuts = 0; cuts < (1U << (n - 1)); ++cuts) {
    if (static_cast<std::size_t>(std::popcount(cuts)) + 1 != stages) {
      continue;
    }
    plan.stages.clear();
    std::uint32_t first = 0;
    for (std::uint32_t v = 1; v <= n; ++v) {
      if (v == n || ((cuts >> (v - 1)) & 1U) != 0) {
        PlanStage stage;
        stage.first_layer = first;
        stage.num_layers = v - first;
        stage.devices = static_cast<std::uint32_t>(block);
        stage.configuration = plan.configuration;
        const std::size_t from_end = stages - 1 - plan.stages.size();
        for (std::size_t r = 0; r < plan.data; ++r) {
          const std::size_t at = plan.packing == Packing::kDataInner ? from_end * plan.data + r
                                                                     : r * stages + from_end;
          const auto block_begin = devices.begin() + static_cast<std::ptrdiff_t>(at * block);
          stage.blocks.emplace_back(block_begin, block_begin + static_cast<std::ptrdiff_t>(block));
        }
        plan.stages.push_back(stage);
        first = v;
      }
    }
    std::size_t codes = 1;
    for (std::size_t q = 0; q < stages; ++q) {
      codes *= kRecomputeChoices;
    }
    for (std::size_t code = 0; code < codes; ++code) {
      std::size_t rest = code;
      for (PlanStage& stage : plan.stages) {
        stage.recompute = static_cast<Recompute>(rest % 3);
        rest /= 3;
      }
      const PlanScore score = score_plan(problem, plan, {});
      if (score.fits) {
        best = std::min(best, score.seconds_per_batch);
      }
    }
  }
}

double exhaustive(const StrategyProblem& problem) {
  double best = INFINITY;
  const std::size_t devices = problem.network.num_devices();
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    for (std::size_t stages = 1; stages <= problem.layers.size(); ++stages) {
      for (std::size_t d = 1; d * stages * c.block() <= devices && d <= c.micro_batches; ++d) {
        for (const bool data_inner : {false, true}) {
          for (std::uint32_t zero = 0; zero < 4; ++zero) {
            ParallelPlan plan;
            plan.configuration = index;
            plan.tensor = c.tensor;
            plan.context = c.context;
            plan.expert = c.expert;
            plan.data = static_cast<std::uint32_t>(d);
            plan.micro_batches = static_cast<std::uint32_t>((c.micro_batches + d - 1) / d);
            plan.zero_stage = zero;
            plan.packing = data_inner ? Packing::kDataInner : Packing::kPipelineInner;
            for (const auto& [classes, order] : all_orders(problem)) {
              plan.class_order = classes;
              score_all(problem, order, plan, stages, best);
            }
          }
        }
      }
    }
  }
  return best;
}

TEST(NestDefaultMode, EqualsExhaustiveSearchOnSmallInstances) {
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, {3});
    const std::size_t devices = std::vector<std::size_t>{1, 3, 6, 7, 8}[rng.below(5)];
    const StrategyProblem problem = random_problem(seed, 2 + rng.below(3), devices);

    SearchSettings settings;
    settings.pins = nest::parse_pins("vpp=1,mixed=false");

    const StrategyAnswer answer = nest::plan_default(problem, settings, 1);

    const double expected = exhaustive(problem);
    ASSERT_EQ(answer.plans.empty(), std::isinf(expected)) << "seed " << seed;
    infeasible += answer.plans.empty() ? 1 : 0;
    if (!answer.plans.empty()) {
      ASSERT_NEAR(answer.plans[0].seconds_per_batch, expected, 1e-9 * expected) << "seed " << seed;
      const PlanScore score = score_plan(problem, answer.plans[0], {});
      EXPECT_TRUE(score.fits);
      EXPECT_NEAR(score.seconds_per_batch, answer.plans[0].seconds_per_batch, 1e-9 * expected);
    }
  }
  EXPECT_LT(infeasible, 30);
}

TEST(NestDefaultMode, TopKComesInOrderAndPinsHold) {
  StrategyProblem problem = random_problem(4, 4, 8);
  for (DeviceClass& device_class : problem.classes) {
    device_class.memory_bytes = 1e12;
  }
  SearchSettings settings;
  settings.pins = nest::parse_pins("tp=2,pp=2");

  const StrategyAnswer answer = nest::plan_default(problem, settings, 5);

  ASSERT_GT(answer.plans.size(), 1U);
  for (std::size_t k = 0; k < answer.plans.size(); ++k) {
    EXPECT_EQ(answer.plans[k].tensor, 2U);
    EXPECT_EQ(answer.plans[k].stages.size(), 2U);
    EXPECT_TRUE(k == 0 ||
                answer.plans[k].seconds_per_batch >= answer.plans[k - 1].seconds_per_batch);
  }
}

TEST(NestDefaultMode, SaysHowMuchMemoryIsMissing) {
  StrategyProblem problem = random_problem(5, 4, 4);
  for (DeviceClass& device_class : problem.classes) {
    device_class.memory_bytes = 1e6;
  }

  const StrategyAnswer answer = nest::plan_default(problem, SearchSettings{}, 1);

  ASSERT_TRUE(answer.plans.empty());
  ASSERT_GE(answer.infeasible.size(), 2U);
  EXPECT_NE(answer.infeasible[0].find("needs at least"), std::string::npos);
  EXPECT_NE(answer.infeasible[0].find("1 MB are there"), std::string::npos) << answer.infeasible[0];
}

TEST(NestDefaultMode, RefusesUnknownPins) {
  EXPECT_THROW(static_cast<void>(nest::parse_pins("tq=8")), InputError);
  EXPECT_THROW(static_cast<void>(nest::parse_pins("tp")), InputError);
  EXPECT_THROW(static_cast<void>(nest::parse_pins("tp=x")), InputError);
  EXPECT_THROW(static_cast<void>(nest::parse_pins("vpp=0")), InputError);
  EXPECT_THROW(static_cast<void>(nest::parse_pins("tp=8,")), InputError);
  EXPECT_THROW(static_cast<void>(nest::parse_pins("tp=8,pp=2,tp=4")), InputError);
}

TEST(PipelineSimulation, EqualStagesWithoutTransfersTakeTheClosedForm) {
  // Three stages of 1 + 2 s, four micro-batches: (4 + 3 - 1) * 3 s.
  const std::vector<PipelineStage> stages(3, PipelineStage{1.0, 2.0, 0.0});

  EXPECT_DOUBLE_EQ(simulate_1f1b(stages, 4), 18.0);
}

TEST(PipelineSimulation, NeverTakesLongerThanTheClosedFormWithTransfersInTheLoad) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Rng rng(seed, {4});
    std::vector<PipelineStage> stages(1 + rng.below(12));
    const std::size_t b = 1 + rng.below(40);
    for (PipelineStage& stage : stages) {
      stage = {0.1 + rng.uniform(), 0.2 + 2.0 * rng.uniform(), 0.5 * rng.uniform()};
    }
    double sum = 0.0;
    double slowest = 0.0;
    for (std::size_t q = 0; q < stages.size(); ++q) {
      const double in = q > 0 ? stages[q - 1].link_seconds : 0.0;
      const double out = q + 1 < stages.size() ? stages[q].link_seconds : 0.0;
      const double load = stages[q].forward_seconds + stages[q].backward_seconds + in + out;
      sum += load;
      slowest = std::max(slowest, load);
    }
    const double closed = sum + (static_cast<double>(b) - 1.0) * slowest;

    EXPECT_LE(simulate_1f1b(stages, b), closed * (1.0 + 1e-12)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth
