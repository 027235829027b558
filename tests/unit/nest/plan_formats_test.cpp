// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>

#include <gtest/gtest.h>

#include "berth/cost_table.hpp"
#include "berth/error.hpp"
#include "berth/plan_score.hpp"

#include "datasets/models/framework_plans.hpp"
#include "datasets/models/megatron_arguments.hpp"
#include "datasets/models/plan_file.hpp"
#include "datasets/models/stage_graph.hpp"
#include "tests/error_text.hpp"

namespace berth {
namespace {

using berth::testing::error_text;

// llama3-8b on 16 devices of two nodes: two stages of 20 and 14 layers (with embedding and head),
// tensor width 2 with sequence parallelism, four replicas, ZeRO-1, the first stage recomputes.
class PlanFormats : public ::testing::Test {
 protected:
  PlanFormats()
      : file_(::testing::TempDir() + "berth_plan_format"),
        model_(datasets::read_model("llama3-8b")),
        cluster_(datasets::read_cluster("h100-fattree-16")) {
    setup_.global_batch = 64;
    problem_ = datasets::make_training_problem(model_, cluster_, setup_);
    for (std::uint32_t i = 0; i < problem_.configurations.size(); ++i) {
      const StrategyConfiguration& c = problem_.configurations[i];
      if (c.tensor == 2 && c.context == 1 && c.sequence_parallel && c.micro_batch == 1) {
        plan_.configuration = i;
      }
    }
    plan_.tensor = 2;
    plan_.sequence_parallel = true;
    plan_.data = 4;
    plan_.micro_batches = 16;
    plan_.zero_stage = 1;
    for (const auto& [first, count] : {std::pair{0U, 20U}, {20U, 14U}}) {
      PlanStage stage;
      stage.first_layer = first;
      stage.num_layers = count;
      stage.devices = 2;
      stage.configuration = plan_.configuration;
      stage.recompute = first == 0 ? Recompute::kFull : Recompute::kNone;
      // Stages of a replica are neighbours, the last one first.
      for (std::uint32_t r = 0; r < 4; ++r) {
        stage.blocks.push_back(consecutive_block(4 * r + (first == 0 ? 2 : 0), 2));
      }
      plan_.stages.push_back(stage);
    }
    score_ = score_plan(problem_, plan_, {});
  }
  ~PlanFormats() override { std::filesystem::remove(file_); }

  ParallelPlan read(const std::string& text) const {
    std::ofstream(file_) << text;
    return datasets::read_any_plan(file_, problem_);
  }
  std::string refusal(const std::string& text) const {
    return error_text<InputError>([&] { static_cast<void>(read(text)); });
  }
  void expect_same(const ParallelPlan& again) const {
    const PlanScore score = score_plan(problem_, again, {});
    EXPECT_EQ(score.seconds_per_batch, score_.seconds_per_batch);
    EXPECT_EQ(score.fullest_share, score_.fullest_share);
    EXPECT_EQ(datasets::plan_line(problem_, again, score),
              datasets::plan_line(problem_, plan_, score_));
  }
  static std::string without_stamp(std::string text) {
    const std::size_t at = text.find("berth-plan model_hash");
    text.replace(at, 10, "no-stamp--");
    return text;
  }

  std::filesystem::path file_;
  datasets::Model model_;
  datasets::Cluster cluster_;
  datasets::TrainingSetup setup_;
  StrategyProblem problem_;
  ParallelPlan plan_;
  PlanScore score_;
};

TEST_F(PlanFormats, EveryFormatComesBackAsThePlanThatWasWritten) {
  datasets::write_plan_file(file_, problem_, plan_, score_);
  expect_same(datasets::read_any_plan(file_, problem_));
  expect_same(read(datasets::megatron_arguments(problem_, plan_)));
  expect_same(read(datasets::torchtitan_fields(problem_, plan_, 8192)));
  expect_same(read(datasets::galvatron_json(problem_, plan_)));
}

TEST_F(PlanFormats, SayWhatTheFrameworksExpect) {
  const std::string megatron = datasets::megatron_arguments(problem_, plan_);
  EXPECT_NE(megatron.find("--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2"),
            std::string::npos);
  EXPECT_NE(megatron.find("'Et*19|t*13L'"), std::string::npos);
  const std::string titan = datasets::torchtitan_fields(problem_, plan_, 8192);
  EXPECT_NE(titan.find("data_parallel_shard_degree = 4"), std::string::npos);
  EXPECT_NE(titan.find("[[\"tok_embeddings\", \"layers.0\""), std::string::npos);
  EXPECT_NE(titan.find("\"layers.31\", \"norm\", \"output\"]]"), std::string::npos);
  const std::string galvatron = datasets::galvatron_json(problem_, plan_);
  EXPECT_NE(galvatron.find("\"pp_division\": \"19,13\""), std::string::npos);
  EXPECT_NE(galvatron.find("\"chunks\": 16"), std::string::npos);
}

TEST_F(PlanFormats, AFieldThatWasChangedAloneIsRefused) {
  const auto changed = [&](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return refusal(text.replace(at, from.size(), to));
  };
  const std::string titan = datasets::torchtitan_fields(problem_, plan_, 8192);
  EXPECT_NE(
      changed(titan, "shard_degree = 4", "shard_degree = 2").find("data-parallel degrees of 2"),
      std::string::npos);
  EXPECT_NE(changed(titan, "\"never\"", "\"always\"").find("fsdp_reshard_after_forward"),
            std::string::npos);
  EXPECT_NE(changed(titan, "\"full\"", "\"none\"").find("activation_checkpoint.mode"),
            std::string::npos);
  EXPECT_NE(changed(titan, "global_batch_size = 64", "global_batch_size = 32").find("expected 64"),
            std::string::npos);
  const std::string galvatron = datasets::galvatron_json(problem_, plan_);
  EXPECT_NE(changed(galvatron, "\"zero2\"", "\"ddp\"").find("/default_dp_type"), std::string::npos);
  EXPECT_NE(changed(galvatron, "\"chunks\": 16", "\"chunks\": 7").find("expected equal whole ones"),
            std::string::npos);
  EXPECT_NE(changed(galvatron, "\"vtp\": 2", "\"vtp\": 1").find("/vtp: 1; expected"),
            std::string::npos);
  EXPECT_NE(changed(galvatron, "\"tp_sizes_enc\": \"2,", "\"tp_sizes_enc\": \"").find("32 numbers"),
            std::string::npos);
  const std::string megatron = datasets::megatron_arguments(problem_, plan_);
  EXPECT_NE(changed(megatron, "--recompute-granularity full", "--recompute-granularity selective")
                .find("--recompute-granularity"),
            std::string::npos);
  EXPECT_NE(
      changed(megatron, "--global-batch-size 64", "--global-batch-size 8").find("expected 64"),
      std::string::npos);
}

TEST_F(PlanFormats, WithoutAStampRanksAreInMegatronOrder) {
  const ParallelPlan plan = read(without_stamp(datasets::megatron_arguments(problem_, plan_)));

  EXPECT_EQ(plan.data, 4U) << "16 devices / (2 tensor x 2 stages)";
  EXPECT_EQ(plan.stages[0].num_layers, 20U);
  EXPECT_EQ(plan.stages[0].blocks[3], (std::vector<std::uint32_t>{6, 7})) << "data before pipeline";
  EXPECT_EQ(plan.stages[1].blocks[0], (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(plan.stages[1].recompute, Recompute::kFull) << "one granularity for all stages";
  EXPECT_EQ(read(without_stamp(datasets::galvatron_json(problem_, plan_))).micro_batch, 1U);
}

TEST_F(PlanFormats, APlanForAnotherModelOrClusterIsRefusedByHash) {
  const std::string text = datasets::megatron_arguments(problem_, plan_);
  datasets::TrainingSetup larger = setup_;
  larger.global_batch = 128;
  const StrategyProblem other = datasets::make_training_problem(model_, cluster_, larger);
  std::ofstream(file_) << text;
  EXPECT_NE(error_text<InputError>([&] {
              static_cast<void>(datasets::read_any_plan(file_, other));
            }).find("another model or training setup"),
            std::string::npos);
  const StrategyProblem elsewhere =
      datasets::make_training_problem(model_, datasets::read_cluster("h100-dgx-16"), setup_);
  EXPECT_NE(error_text<InputError>([&] {
              static_cast<void>(datasets::read_any_plan(file_, elsewhere));
            }).find("another cluster"),
            std::string::npos);
}

TEST_F(PlanFormats, RefuseWhatModelAndClusterDoNotAllow) {
  const auto megatron = [&](const std::string& words) { return refusal(words); };
  EXPECT_NE(megatron("nothing of the kind").find("no plan; expected"), std::string::npos);
  EXPECT_NE(megatron("--tensor-model-parallel-size 3").find("tensor 3"), std::string::npos);
  EXPECT_NE(megatron("--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4")
                .find("a replica of 32 devices"),
            std::string::npos);
  EXPECT_NE(megatron("--tensor-model-parallel-size two").find("expected a whole number"),
            std::string::npos);
  EXPECT_NE(megatron("--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Et*9|tL'")
                .find("10 layers in 2 stages; expected the model's 32"),
            std::string::npos);
  EXPECT_NE(megatron("--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'tE|tL'")
                .find("E first and L last"),
            std::string::npos);
}

TEST_F(PlanFormats, AStageGraphHasThePlannersTimeOnOnePath) {
  // One device: no messages, so the longest path is all there is and ends with the planner's time.
  datasets::TrainingSetup setup = setup_;
  const datasets::Cluster one = datasets::read_cluster("h100-node-1");
  const StrategyProblem problem = datasets::make_training_problem(model_, one, setup);
  ParallelPlan plan;
  for (std::uint32_t i = 0; i < problem.configurations.size(); ++i) {
    plan.configuration = problem.configurations[i].micro_batch == 1 ? i : plan.configuration;
  }
  PlanStage stage;
  stage.num_layers = static_cast<std::uint32_t>(problem.layers.size());
  stage.configuration = plan.configuration;
  stage.recompute = Recompute::kSelective;
  stage.blocks = {{0}};
  plan.stages = {stage};
  plan.micro_batches = setup.global_batch;
  const PlanScore score = score_plan(problem, plan, {});

  const Graph graph = datasets::stage_graph(model_, one, setup, problem, plan, 0);
  double sum = 0.0;
  for (const double seconds : graph.work()) {
    sum += seconds;
  }
  const StageTime& time = score.times[0];
  EXPECT_NEAR(sum / (time.forward + time.backward + time.recompute), 1.0, 1e-9);
  EXPECT_EQ(datasets::group_topology(one, plan, 0).num_devices(), 1U);
}

TEST_F(PlanFormats, AStageGraphMovesTheVolumeOfARingBetweenTensorRanks) {
  const Graph graph = datasets::stage_graph(model_, cluster_, setup_, problem_, plan_, 1);
  const Topology topology = datasets::group_topology(cluster_, plan_, 1);

  ASSERT_EQ(topology.num_devices(), 2U);
  EXPECT_DOUBLE_EQ(topology.bandwidth(to_id<DeviceId>(0), to_id<DeviceId>(1)).value, 450e9);
  EXPECT_NO_THROW(static_cast<void>(price(graph, topology)));
  // Kernels come in pairs, one for each rank, and so do the slices of sums.
  EXPECT_EQ(graph.num_ops() % 2, 0U);
}

}  // namespace
}  // namespace berth
