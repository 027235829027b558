// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "train_process.hpp"

namespace berth::testing {
namespace {

TEST(Train, WritesTheSameBytesForAnyNumberOfRanks) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "alone").code, 0) << fixture.content("alone-log.err");

  for (const int ranks : {1, 2, 3, 5}) {
    const std::string run = std::to_string(ranks) + "-ranks";
    ASSERT_EQ(fixture.train(ranks, run).code, 0) << fixture.content(run + "-log.err");
    for (const std::string name : {"/checkpoints/latest.h5",
                                   "/checkpoints/best.h5",
                                   "/best_placement.json",
                                   "/best_placement_0.json",
                                   "/best_placement_1.json"}) {
      EXPECT_FALSE(fixture.content(run + name).empty()) << name;
      EXPECT_TRUE(fixture.content(run + name) == fixture.content("alone" + name)) << run << name;
    }
    EXPECT_EQ(fixture.timeless_metrics(run), fixture.timeless_metrics("alone")) << run;
  }
}

TEST(Train, AnotherSeedGivesAnotherRun) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "a").code, 0);
  ASSERT_EQ(fixture.train(0, "b", {"--seed", "6"}).code, 0);

  EXPECT_NE(fixture.timeless_metrics("a"), fixture.timeless_metrics("b"));
}

TEST(Train, WritesOneMetricsLineAnUpdate) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "run", {"--set", "updates=5"}).code, 0);

  std::istringstream in(fixture.content("run/metrics.jsonl"));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(nlohmann::json::parse(line));
  }

  // 6 imitation and 24 simulation updates in 5: exactly 1 and 4.
  ASSERT_EQ(lines.size(), 5U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("update"), i + 1);
    EXPECT_EQ(lines[i].at("stage"), i < 1 ? "imitation" : "simulation");
    EXPECT_EQ(lines[i].at("rollouts"), 12);
    for (const char* key : {"rollouts_per_second", "best", "mean", "gap"}) {
      EXPECT_TRUE(lines[i].at(key).is_number()) << key;
    }
    EXPECT_LE(lines[i].at("best"), lines[i].at("mean"));
  }
}

TEST(Train, LearnsAndReportsItsBestBesideTheBound) {
  const TrainFixture fixture;
  const Finished run = fixture.train(0, "run", {"--json"});
  ASSERT_EQ(run.code, 0) << run.err;

  const nlohmann::json result = nlohmann::json::parse(run.out);

  // Graph b: the chain 1-2-3 takes 7 time units, op 0 another 7: two devices do both in 7.
  EXPECT_EQ(result.at("problems").at(1).at("best"), 7.0);
  EXPECT_EQ(result.at("problems").at(1).at("lower_bound"), 7.0);
  EXPECT_EQ(result.at("rollouts"), 360);
  std::istringstream metrics(fixture.content("run/metrics.jsonl"));
  std::vector<double> means;
  for (std::string line; std::getline(metrics, line);) {
    means.push_back(nlohmann::json::parse(line).at("mean"));
  }
  // The last five updates against the first five of the simulation stage.
  const auto mean = [&means](std::size_t begin) {
    return (means[begin] + means[begin + 1] + means[begin + 2] + means[begin + 3] +
            means[begin + 4]) /
           5.0;
  };
  EXPECT_LT(mean(25), mean(6));
}

}  // namespace
}  // namespace berth::testing
