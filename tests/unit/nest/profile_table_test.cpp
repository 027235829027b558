// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "datasets/models/layer_pricing.hpp"
#include "datasets/models/training_problem.hpp"
#include "tests/error_text.hpp"

namespace berth {
namespace {

using berth::testing::error_text;

class Profiles : public ::testing::Test {
 protected:
  Profiles() : file_(::testing::TempDir() + "berth_profile.csv") {}
  ~Profiles() override { std::filesystem::remove(file_); }

  datasets::ProfileTable read(const std::string& text) const {
    std::ofstream(file_) << text;
    datasets::ProfileTable table;
    table.read(file_);
    return table;
  }
  std::string refusal(const std::string& text) const {
    return error_text<InputError>([&] { static_cast<void>(read(text)); });
  }

  std::filesystem::path file_;
};

TEST_F(Profiles, AMeasuredKernelTakesThePlaceOfItsRoofline) {
  const datasets::ProfileTable table = read(
      "kernel,m,n,k,count,us,device\n"
      "product,100,200,300,,50,\n"
      "product,100,200,300,,40,fast\n"
      "# a comment\n"
      "vector,4096,,,,7,\n");
  Roofline roofline;
  roofline.peak_flops_per_second = 1e12;
  roofline.memory_bytes_per_second = 1e12;
  const datasets::KernelTimes slow(roofline, &table, "slow");
  const datasets::KernelTimes fast(roofline, &table, "fast");

  EXPECT_DOUBLE_EQ(slow.product(100, 200, 300), 50e-6);
  EXPECT_DOUBLE_EQ(fast.product(100, 200, 300), 40e-6) << "the row of the device wins";
  EXPECT_DOUBLE_EQ(slow.vector(4096), 7e-6);
  EXPECT_DOUBLE_EQ(slow.product(100, 200, 301), roofline.product(100, 200, 301));
  EXPECT_DOUBLE_EQ(slow.product(100, 200, 300, 2), roofline.product(100, 200, 300, 2));
  EXPECT_TRUE(table.unused().empty());
}

TEST_F(Profiles, AMeasuredLayerSetsTheTimesOfItsDegreesAlone) {
  const datasets::ProfileTable table = read(
      "layer,tensor,micro_batch,forward_us,backward_us\n"
      "layer,2,1,1000,2500\n"
      "head,16,1,1,1\n");
  const datasets::Model model = datasets::read_model("llama3-8b");
  const datasets::Cluster cluster = datasets::read_cluster("h100-node-8");
  datasets::TrainingSetup setup;
  setup.most_tensor = 2;
  const StrategyProblem plain = datasets::make_training_problem(model, cluster, setup);
  setup.profile = &table;
  const StrategyProblem measured = datasets::make_training_problem(model, cluster, setup);

  ASSERT_EQ(plain.configurations.size(), measured.configurations.size());
  for (std::size_t i = 0; i < plain.configurations.size(); ++i) {
    const StrategyConfiguration& c = measured.configurations[i];
    const LayerCost& layer = measured.cost(c, 0, 1);
    if (c.tensor == 2 && c.context == 1 && !c.sequence_parallel && c.micro_batch == 1) {
      EXPECT_DOUBLE_EQ(layer.forward_seconds, 1000e-6);
      EXPECT_DOUBLE_EQ(layer.backward_seconds, 2500e-6);
      EXPECT_DOUBLE_EQ(layer.recompute_seconds[2], 1000e-6);
      EXPECT_EQ(layer.saved_bytes, plain.cost(plain.configurations[i], 0, 1).saved_bytes);
    } else {
      EXPECT_EQ(layer, plain.cost(plain.configurations[i], 0, 1));
    }
  }
  EXPECT_EQ(model_hash(plain), model_hash(measured)) << "a plan may be priced anew";
  ASSERT_EQ(table.unused().size(), 1U) << "no configuration has a tensor width of 16";
  EXPECT_NE(table.unused()[0].find("berth_profile.csv:3"), std::string::npos);
}

TEST_F(Profiles, AreReadStrictly) {
  EXPECT_NE(refusal("kernel,m,uss\n").find("did you mean 'us'"), std::string::npos);
  EXPECT_NE(refusal("kernel,m\n").find("no column 'us'"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nproduct,1\n").find("2 cells; expected 3"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvektor,1,1\n").find("expected one of product, vector"),
            std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvector,1,-1\n").find("expected a number"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvector,1,0\n").find("us '0'; expected a number of microsec"),
            std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvector,1,1e300\n").find("from 0 to 1e18"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvector,1e300,1\n").find("from 1 to 1e18"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvector,1,nan\n").find("expected a number"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nvector,1,1\nvector,1,2\n").find("the same shape"),
            std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("kernel,m,us\nproduct,8,1\n").find("n ''"), std::string::npos)
      << "a product without n and k";
}

TEST_F(Profiles, TheExampleFilesAreRead) {
  datasets::ProfileTable table;
  for (const char* name : {"example-kernels.csv", "example-layers.csv"}) {
    table.read(std::filesystem::path(BERTH_SOURCE_DIR) / "datasets" / "profiles" / name);
  }
  const datasets::Model model = datasets::read_model("llama3-8b");
  datasets::TrainingSetup setup;
  setup.profile = &table;
  static_cast<void>(
      datasets::make_training_problem(model, datasets::read_cluster("h100-node-8"), setup));
  EXPECT_TRUE(table.unused().empty()) << table.unused().front();
}

TEST(KernelList, ProductsOfALlamaLayerAddUpToItsParameters) {
  // Each weight is used once a token: 2 FLOP a parameter and token, attention apart.
  const datasets::Model model = datasets::read_model("llama3-8b");
  const datasets::Transformer& m = model.transformer;
  double products = 0.0;
  double attention = 0.0;
  for (const datasets::Kernel& kernel : datasets::layer_kernels(m, 0, {}, {})) {
    const double flops = 2.0 * kernel.m * kernel.n * kernel.k * kernel.count * kernel.copies;
    (kernel.attention_core ? attention : products) += flops;
  }
  const double tokens = m.sequence;
  EXPECT_DOUBLE_EQ(products, 2.0 * tokens * datasets::layer_parameters(m, 0).sharded);
  // Scores and values: 2 products of 2 s^2 d FLOP for each of 32 heads.
  EXPECT_DOUBLE_EQ(attention, 2.0 * 2.0 * tokens * tokens * 128 * 32);
}

}  // namespace
}  // namespace berth
