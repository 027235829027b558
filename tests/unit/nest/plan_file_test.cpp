// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/models/plan_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "berth/plan_score.hpp"

#include "datasets/models/training_problem.hpp"
#include "plugins/nest/outer_search.hpp"

namespace berth {
namespace {

// A node of A100 and a node of V100.
StrategyProblem mixed_problem() {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "a100-and-v100.json";
  std::ofstream(file) << R"({"nodes": [{"devices": 4, "accelerator": "A100-SXM4-80GB"},
                                       {"devices": 4, "accelerator": "V100-SXM2-32GB"}],
                             "levels": [{"name": "nvlink", "bandwidth": "300GB/s",
                                         "latency": "5us"},
                                        {"name": "network", "bandwidth": "25GB/s",
                                         "latency": "10us"}]})";
  datasets::TrainingSetup setup;
  setup.global_batch = 64;
  setup.most_micro_batch = 1;
  setup.most_context = 1;
  setup.most_tensor = 2;
  return make_training_problem(
      datasets::read_model("bert-large"), datasets::read_cluster(file.string()), setup);
}

class PlanFileTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanFileTest, KeepsChunksClassesAndUnequalStages) {
  const StrategyProblem problem = mixed_problem();
  nest::SearchSettings settings;
  settings.pins = nest::parse_pins(GetParam());
  const StrategyAnswer answer = nest::plan_default(problem, settings, 1);
  ASSERT_EQ(answer.plans.size(), 1U);
  const ParallelPlan& plan = answer.plans[0];
  const PlanScore score = score_plan(problem, plan, {});
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) /
                                     ("plan-" + std::to_string(plan.stages.size()) + ".json");
  datasets::write_plan_file(file, problem, plan, score);

  const ParallelPlan again = datasets::read_plan_file(file, problem);

  EXPECT_EQ(again.chunks, plan.chunks);
  EXPECT_EQ(again.class_order, plan.class_order);
  EXPECT_EQ(again.is_uniform(), plan.is_uniform());
  EXPECT_EQ(again.micro_batches, plan.micro_batches);
  ASSERT_EQ(again.stages.size(), plan.stages.size());
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    EXPECT_EQ(again.stages[q].blocks, plan.stages[q].blocks);
    EXPECT_EQ(again.stages[q].configuration, plan.stages[q].configuration);
  }
  const PlanScore rescored = score_plan(problem, again, {});
  EXPECT_DOUBLE_EQ(rescored.seconds_per_batch, score.seconds_per_batch);
  EXPECT_NEAR(rescored.seconds_per_batch, plan.seconds_per_batch, 1e-9 * plan.seconds_per_batch);
}

TEST(PlanScoring, ClosedFormAndSimulationAgreeForBothSchedules) {
  datasets::TrainingSetup setup;
  setup.global_batch = 128;
  setup.most_micro_batch = 1;
  setup.most_context = 1;
  setup.most_tensor = 4;
  const StrategyProblem problem = make_training_problem(
      datasets::read_model("llama3-8b"), datasets::read_cluster("h100-fattree-16"), setup);
  int apart = 0;
  for (const char* pins : {"pp=2,vpp=1",
                           "pp=4,vpp=1",
                           "pp=8,vpp=1",
                           "pp=2,vpp=2",
                           "pp=2,vpp=4",
                           "pp=4,vpp=2",
                           "pp=4,vpp=4",
                           "pp=8,vpp=2"}) {
    nest::SearchSettings settings;
    settings.pins = nest::parse_pins(std::string("mixed=false,") + pins);
    const StrategyAnswer answer = nest::plan_default(problem, settings, 3);
    ASSERT_FALSE(answer.plans.empty()) << pins;
    for (const ParallelPlan& plan : answer.plans) {
      const PlanScore score = score_plan(problem, plan, {});
      const double closed = score.closed_seconds - score.sync_seconds;
      const double played = score.simulated_seconds - score.sync_seconds;
      const bool within = std::abs(closed - played) <= 0.03 * played;
      EXPECT_EQ(within, score.difference.empty()) << pins << ": " << score.difference;
      apart += within ? 0 : 1;
    }
  }
  EXPECT_LE(apart, 6) << "of 24 plans";
}

INSTANTIATE_TEST_SUITE_P(Nest,
                         PlanFileTest,
                         ::testing::Values("vpp=2,pp=2", "pp=4,vpp=1,mixed=false", "mixed=true"));

}  // namespace
}  // namespace berth
