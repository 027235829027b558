// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "berth/collectives.hpp"
#include "berth/error.hpp"
#include "berth/plan_score.hpp"

#include "datasets/models/megatron_arguments.hpp"
#include "datasets/models/plan_file.hpp"
#include "datasets/models/training_problem.hpp"
#include "plugins/nest/outer_search.hpp"

namespace berth {
namespace {

TEST(Models, ParameterCountsEqualThePublishedOnes) {
  for (const std::string& name : datasets::model_names()) {
    const datasets::Model model = datasets::read_model(name);

    ASSERT_GT(model.published_parameters, 0.0) << name;
    EXPECT_NEAR(datasets::parameter_count(model) / model.published_parameters, 1.0, 0.005) << name;
  }
}

TEST(Models, AnUnknownNameBringsTheNearest) {
  try {
    static_cast<void>(datasets::read_model("llama3-70"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'llama3-70b'?"), std::string::npos);
  }
}

TEST(Models, AHuggingFaceConfigGivesTheSameModelAsTheCatalogue) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "llama3.json";
  std::ofstream(file) << R"({"model_type": "llama", "num_hidden_layers": 80, "hidden_size": 8192,
    "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672,
    "vocab_size": 128256, "max_position_embeddings": 8192, "tie_word_embeddings": false})";

  const datasets::Model model = datasets::read_model(file.string());

  EXPECT_DOUBLE_EQ(datasets::parameter_count(model),
                   datasets::parameter_count(datasets::read_model("llama3-70b")));
  std::ofstream(file) << R"({"model_type": "mamba"})";
  EXPECT_THROW(static_cast<void>(datasets::read_model(file.string())), InputError);
}

TEST(Models, AHuggingFaceConfigWhoseNumbersContradictIsRefused) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "odd.json";
  const std::string rest =
      R"("hidden_size": 1024, "num_attention_heads": 16, "intermediate_size": 4096,
         "vocab_size": 32000, )";
  const auto refused = [&](const std::string& fields, const std::string& part) {
    std::ofstream(file) << "{" + rest + fields + "}";
    try {
      static_cast<void>(datasets::read_model(file.string()));
      ADD_FAILURE() << fields;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const std::string llama = R"("model_type": "llama", "num_hidden_layers": 4, )";
  refused(llama + R"("num_key_value_heads": 3)", "3 key-value heads");
  refused(llama + R"("num_key_value_heads": 32)", "32 key-value heads");
  refused(llama + R"("num_key_value_heads": 0)", "0 key-value heads");
  refused(llama + R"("head_dim": 0)", "heads of width 0");
  refused(llama + R"("max_position_embeddings": 0)", "sequences of 0 tokens");
  refused(R"("model_type": "llama", "num_hidden_layers": 1001)", "from 1 to 1000");
  refused(R"("model_type": "mixtral", "num_hidden_layers": 4, "num_local_experts": 8,
             "num_experts_per_tok": 16)",
          "16 experts per token");
}

TEST(Clusters, AFileWithANumberThatMeansNothingIsRefused) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "odd.json";
  const auto refused = [&](const std::string& node,
                           const std::string& level,
                           const std::string& root,
                           const std::string& part) {
    std::ofstream(file) << R"({"nodes": [{"devices": 8, "accelerator": "H100-SXM5-80GB")" + node +
                               R"(}], "levels": [{"bandwidth": "1GB/s", "latency": "5us")" + level +
                               "}]" + root + "}";
    try {
      static_cast<void>(datasets::read_cluster(file.string()));
      ADD_FAILURE() << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused(R"(, "memory": "0GB")", "", "", "/nodes/0/memory");
  refused("", R"(, "uplink": "0GB/s")", "", "/levels/0/uplink");
  refused("", "", R"(, "units_per_level": [3])", "/units_per_level");
}

TEST(Models, SavedActivationsOfAGptLayerEqualThePublishedFormula) {
  // Korthikanti et al. 2022: s b h (34 + 5 a s / h) bytes without parallelism.
  const datasets::Model model = datasets::read_model("gpt3-175b");
  datasets::KernelChoices plain;
  plain.flash_attention = false;
  Roofline roofline;
  roofline.peak_flops_per_second = 1e12;
  roofline.memory_bytes_per_second = 1e12;

  const LayerCost cost = datasets::price_layer(model.transformer, 0, {}, roofline, {}, plain);

  const double sbh = 2048.0 * 12288.0;
  EXPECT_NEAR(cost.saved_bytes[0] / (sbh * (34.0 + 5.0 * 96 * 2048 / 12288)), 1.0, 1e-12);
  EXPECT_NEAR(cost.saved_bytes[1] / (sbh * 34.0), 1.0, 1e-12);
  EXPECT_NEAR(cost.saved_bytes[2] / (sbh * 2.0), 1.0, 1e-12);
}

TEST(Collectives, RingAndHierarchyByHand) {
  // Two nodes of four: 8 GB/s inside, 1 GB/s between, no latency, 8e9 bytes.
  const std::uint32_t units[] = {4, 2};
  const NetworkLevels network =
      NetworkLevels::uniform(units, {{"node", 8e9, 0.0, 0.0, 1}, {"net", 1e9, 0.0, 0.0, 1}});
  const Collectives collectives(network);
  const std::uint32_t inside[] = {0, 1, 2, 3};
  const std::uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};

  // Inside: 2 * 3/4 * 8e9 / 8e9 = 1.5 s. All: twice (3/4 * 1 s + 1/2 * 1/4 * 8 s) = 3.5 s, far
  // below the flat ring's 2 * 7/8 * 8 s = 14 s.
  EXPECT_DOUBLE_EQ(collectives.all_reduce(shape_of(network, inside)).seconds(8e9), 1.5);
  EXPECT_DOUBLE_EQ(collectives.all_reduce(shape_of(network, all)).seconds(8e9), 3.5);
  EXPECT_EQ(collectives.all_reduce(shape_of(network, all)).algorithm(8e9), "hierarchical");
  EXPECT_DOUBLE_EQ(collectives.all_gather(shape_of(network, all)).seconds(8e9), 1.75);
  EXPECT_DOUBLE_EQ(collectives.point_to_point(1, 1).seconds_per_byte, 1e-9);
}

TEST(Clusters, PresetsHaveTheDevicesAskedFor) {
  const datasets::Cluster cluster = datasets::read_cluster("h100-spineleaf-100");

  EXPECT_EQ(cluster.network.num_devices(), 100U);
  EXPECT_EQ(cluster.network.level_between(0, 7), 0U);
  EXPECT_EQ(cluster.network.level_between(0, 31), 1U);
  EXPECT_EQ(cluster.network.level_between(0, 99), 2U);
  EXPECT_THROW(static_cast<void>(datasets::read_cluster("h100-spinleaf-8")), InputError);
  EXPECT_THROW(static_cast<void>(datasets::read_cluster("h100-fattree-0")), InputError);
  for (const char* name : {"a100-node-6", "tpuv4-torus3d-64", "tpuv4-torus2d-12", "v100-dgx-40"}) {
    EXPECT_GT(datasets::read_cluster(name).network.num_devices(), 0U) << name;
  }
}

TEST(Clusters, EveryTopologyHasTheLevelsOfItsPage) {
  // Devices 0 and 8 are in neighbouring nodes, 0 and 40 under different leaves, 0 and 80 in
  // different racks; a leaf of 32 devices with 50 GB/s each sends up 1600 GB/s, half, a quarter.
  const auto level = [](const char* name, std::uint32_t device) {
    return datasets::read_cluster(name).network.level_between(0, device);
  };
  EXPECT_EQ(level("h100-fattree-96", 8), 1U);
  EXPECT_EQ(level("h100-fattree-96", 40), 2U);
  EXPECT_EQ(level("h100-dgx-96", 40), 1U) << "one hop on a rail";
  EXPECT_EQ(level("h100-rail-96", 80), 1U) << "no core";
  EXPECT_EQ(level("b200-nvl72-96", 40), 0U) << "one rack";
  EXPECT_EQ(level("b200-nvl72-96", 80), 1U);
  for (const auto& [name, uplink] : {std::pair{"h100-fattree-96", 1600e9},
                                     {"h100-spineleaf-96", 800e9},
                                     {"h100-spineleaf4-96", 400e9}}) {
    EXPECT_DOUBLE_EQ(datasets::read_cluster(name).network.level(2).uplink_bytes_per_second, uplink)
        << name;
  }
  // 4 x 4 x 4: a message to the far side of a ring takes two hops of 2 us.
  const NetworkLevels torus = datasets::read_cluster("tpuv4-torus3d-64").network;
  EXPECT_EQ(torus.level_between(0, 1), 0U);
  EXPECT_EQ(torus.level_between(0, 4), 1U);
  EXPECT_EQ(torus.level_between(0, 16), 2U);
  EXPECT_EQ(torus.level(2).parallel_links, 2U);
  EXPECT_DOUBLE_EQ(torus.level(2).latency_seconds, 4e-6);
}

TEST(Clusters, TheFilesThatComeWithBerthAreRead) {
  const std::string folder = std::string(BERTH_SOURCE_DIR) + "/datasets/clusters/";
  const datasets::Cluster sites = datasets::read_cluster(folder + "two-sites.json");
  EXPECT_EQ(sites.network.level_between(0, 31), 1U);
  EXPECT_EQ(sites.network.level_between(0, 32), 2U);
  EXPECT_DOUBLE_EQ(sites.network.level(2).latency_seconds, 2e-3);
  const datasets::Cluster mixed = datasets::read_cluster(folder + "mixed.json");
  EXPECT_EQ(mixed.classes.size(), 2U);
  EXPECT_DOUBLE_EQ(mixed.classes[1].price_per_hour, 2.0) << "the file's";
  EXPECT_DOUBLE_EQ(mixed.classes[0].price_per_hour, 3.43) << "the catalogue's";
}

TEST(Collectives, EveryAlgorithmAndOperationByHand) {
  // Eight devices on one switch: 1 GB/s, 1 ms. 1 byte: latencies alone.
  const std::uint32_t units[] = {8};
  const NetworkLevels network = NetworkLevels::uniform(units, {{"switch", 1e9, 1e-3, 0.0, 1}});
  const Collectives collectives(network);
  const GroupShape all{{8}};
  const GroupShape six{{6}};
  // Tree and halving-doubling: 2 log2(8) = 6 steps; ring 14. The former moves 6 S, the latter 7/4.
  EXPECT_NEAR(collectives.all_reduce(all).seconds(1.0), 6e-3, 1e-8);
  EXPECT_EQ(collectives.all_reduce(all).algorithm(1e9), "halving-doubling");
  EXPECT_NEAR(collectives.all_reduce(all).seconds(1e9), 6e-3 + 1.75, 1e-9);
  // Six ranks: halving-doubling takes two steps and 2 S more, so the ring wins: 10 ms + 10/6 s.
  EXPECT_EQ(collectives.all_reduce(six).algorithm(1e9), "ring");
  EXPECT_NEAR(collectives.all_reduce(six).seconds(1e9), 10e-3 + 10.0 / 6.0, 1e-9);
  EXPECT_EQ(collectives.all_reduce(six).algorithm(1.0), "tree");
  EXPECT_NEAR(collectives.reduce_scatter(all).seconds(1e9), 7e-3 + 0.875, 1e-9);
  EXPECT_NEAR(collectives.all_to_all(all).seconds(1e9), 7e-3 + 0.875, 1e-9);
  EXPECT_NEAR(collectives.broadcast(all).seconds(1e9), 3e-3 + 3.0, 1e-9) << "binomial tree";
  EXPECT_NEAR(collectives.point_to_point(0, 1).seconds, 1e-3, 1e-12);
  // A torus dimension lends the ring both directions.
  const NetworkLevels torus = NetworkLevels::uniform(units, {{"torus-x", 1e9, 0.0, 0.0, 2}});
  EXPECT_NEAR(Collectives(torus).all_reduce(all).seconds(1e9), 0.875, 1e-9);
}

TEST(Clusters, AFileMayMixClassesAndNodeSizes) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "mixed.json";
  std::ofstream(file) << R"({"name": "mixed", "nodes": [
      {"count": 2, "devices": 4, "accelerator": "A100-SXM4-80GB"},
      {"devices": 3, "accelerator": "V100-SXM2-32GB", "memory": "16GiB"}],
    "levels": [{"bandwidth": "300GB/s", "latency": "5us"},
               {"bandwidth": "25GB/s", "latency": "10us", "uplink": "50GB/s"}]})";

  const datasets::Cluster cluster = datasets::read_cluster(file.string());

  EXPECT_EQ(cluster.network.num_devices(), 11U);
  EXPECT_EQ(cluster.class_of_device[10], 1U);
  EXPECT_DOUBLE_EQ(cluster.classes[1].memory_bytes, 16.0 * (1U << 30U));
  std::ofstream(file) << R"({"nodes": [], "levels": [], "nodez": 1})";
  EXPECT_THROW(static_cast<void>(datasets::read_cluster(file.string())), InputError);
}

TEST(PlanFile, ComesBackToTheSameScoreAndIsRefusedElsewhere) {
  const datasets::Model model = datasets::read_model("llama2-7b");
  datasets::TrainingSetup setup;
  setup.global_batch = 64;
  setup.most_micro_batch = 1;
  setup.most_context = 1;
  const StrategyProblem problem =
      make_training_problem(model, datasets::read_cluster("a100-fattree-16"), setup);
  const StrategyAnswer answer = nest::plan_default(problem, {}, 1);
  ASSERT_EQ(answer.plans.size(), 1U);
  const PlanScore score = score_plan(problem, answer.plans[0], {});
  EXPECT_TRUE(score.fits);
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "plan.json";
  datasets::write_plan_file(file, problem, answer.plans[0], score);

  const ParallelPlan again = datasets::read_plan_file(file, problem);

  EXPECT_DOUBLE_EQ(score_plan(problem, again, {}).seconds_per_batch, score.seconds_per_batch);
  EXPECT_NE(datasets::megatron_arguments(problem, again).find("--global-batch-size 64"),
            std::string::npos);
  const StrategyProblem other =
      make_training_problem(model, datasets::read_cluster("a100-fattree-24"), setup);
  try {
    static_cast<void>(datasets::read_plan_file(file, other));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("for another cluster"), std::string::npos);
  }
}

TEST(NestDefaultMode, PlansGpt3OnAThousandDevicesInSeconds) {
  datasets::TrainingSetup setup;
  setup.global_batch = 1536;
  const StrategyProblem problem = make_training_problem(
      datasets::read_model("gpt3-175b"), datasets::read_cluster("h100-spineleaf-1024"), setup);
  const std::clock_t start = std::clock();

  const StrategyAnswer answer = nest::plan_default(problem, {}, 1);

  const double cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("GPT-3 on 1,024 devices: %.2f s of CPU, %llu candidates, %llu solved\n",
              cpu_seconds,
              static_cast<unsigned long long>(answer.candidates),
              static_cast<unsigned long long>(answer.solved));
  ASSERT_EQ(answer.plans.size(), 1U);
  EXPECT_TRUE(score_plan(problem, answer.plans[0], {}).fits);
#ifndef __SANITIZE_ADDRESS__  // Instrumented code has no speed to speak of.
  EXPECT_LT(cpu_seconds, 10.0);
#endif
}

}  // namespace
}  // namespace berth
