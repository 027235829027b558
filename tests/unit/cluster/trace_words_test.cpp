// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_words.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "plan_throughputs.hpp"
#include "throughput_estimate.hpp"

namespace berth::datasets {
namespace {

const std::vector<std::string> kPaperTypes = {"v100", "p100", "k80"};

template <class Action>
std::string message(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// ResNet-18, batch 128 on a V100: 3 x 1.11e9 x 128 / (0.35 x 15.7e12) = 0.0775689 s of compute,
// 3 x 10e6 x 128 / 900e9 = 0.00427 s of traffic, 10 ms of host: 1 / 0.0875689. A gang of 2 adds an
// exchange of 2 x 1/2 x 4 x 11.2e6 bytes at 12 GB/s = 3.7333 ms, or at 1.25 GB/s = 35.84 ms.
TEST(EstimatedThroughputs, FollowTheirRule) {
  const ThroughputTable table = estimate_throughputs(kPaperTypes);
  const auto rate = [&](std::uint32_t gang, bool together) {
    return table.rates("test", {"ResNet-18", 128}, gang, kPaperTypes, together)[0];
  };

  EXPECT_NEAR(rate(1, true), 1 / 0.0875689, 1e-4);
  EXPECT_NEAR(rate(2, true), 2 / (0.0875689 + 0.00373333), 1e-4);
  EXPECT_NEAR(rate(2, false), 2 / (0.0875689 + 0.03584), 1e-4);
}

// 16 x 25.6e6 + 128 x 90e6 bytes = 11.9 GB: more than 90 % of a K80's 12 GiB, not of a V100's 16.
TEST(EstimatedThroughputs, AreZeroWhereAJobDoesNotFit) {
  const std::vector<double> rates =
      estimate_throughputs(kPaperTypes).rates("test", {"ResNet-50", 128}, 1, kPaperTypes, true);

  EXPECT_GT(rates[0], 0.0);
  EXPECT_EQ(rates[2], 0.0);
}

TEST(EstimatedThroughputs, NameTheAcceleratorsThatAreKnown) {
  const std::vector<std::string> gpus = {"abacus"};
  const std::string text = message([&] { (void)estimate_throughputs(gpus); });

  EXPECT_TRUE(
      text.starts_with("estimated throughputs: accelerator 'abacus' is not in the "
                       "catalogue; expected the beginning of one of cpu-core, "))
      << text;
}

TEST(EstimatedThroughputs, SurviveAFile) {
  const ThroughputTable table = estimate_throughputs(kPaperTypes);
  const std::string file = testing::TempDir() + "estimated.csv";
  std::ofstream out(file);
  table.write_csv(out);
  out.close();

  const ThroughputTable again(file, "");

  EXPECT_EQ(again.size(), table.size());
  for (const bool together : {false, true}) {
    EXPECT_EQ(again.rates("test", {"LM", 5}, 8, kPaperTypes, together),
              table.rates("test", {"LM", 5}, 8, kPaperTypes, together));
  }
}

TEST(TraceWord, GeneratesJobsByNumberGapAndSeed) {
  const ThroughputTable table = estimate_throughputs(kPaperTypes);

  const auto still = make_trace("generated:20", table);
  const auto poisson = make_trace("generated:20:600", table);
  const auto other = make_trace("generated:20:600:1", table);

  ASSERT_EQ(still.size(), 20U);
  EXPECT_EQ(still.back().arrival_seconds, 0.0);
  EXPECT_GT(poisson.back().arrival_seconds, 0.0);
  EXPECT_EQ(poisson[5].total_steps, still[5].total_steps);
  EXPECT_NE(other[5].total_steps, still[5].total_steps);
}

TEST(TraceWord, MixesFiveModelsInTurn) {
  const ThroughputTable table = estimate_throughputs(kPaperTypes);
  const auto mix = make_trace("mix:6", table);

  ASSERT_EQ(mix.size(), 6U);
  EXPECT_EQ(mix[0].type, mix[5].type);
  EXPECT_EQ(mix[3].type, (JobType{"Recommendation", 2048}));
  EXPECT_NEAR(
      mix[0].total_steps / table.rates("test", mix[0].type, 1, kPaperTypes, true)[0], 5400.0, 0.1);
}

TEST(TraceWord, SaysWhatItExpected) {
  const ThroughputTable table = estimate_throughputs(kPaperTypes);
  for (const char* word : {"generated",
                           "generated:0",
                           "generated:-1",
                           "generated:1e9",
                           "generated:100001",
                           "generated:5:1:x",
                           "mix:",
                           "mix:5:1",
                           "nowhere"}) {
    EXPECT_TRUE(message([&] {
                  (void)make_trace(word, table);
                }).starts_with("trace '" + std::string(word) + "': no such file, and no word"))
        << word;
  }
  EXPECT_EQ(message([&] { (void)make_trace("generated:5:nan", table); }),
            "trace 'generated:5:nan': gap: 'nan'; expected a finite number >= 0");
  EXPECT_EQ(message([] { (void)make_trace("mix:5", std::nullopt); }),
            "trace 'mix:5': its jobs are sized by throughputs; name a table with --throughputs, "
            "or take --throughputs estimated");
}

class PlanFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "plans of a cluster";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string refusal() const {
    return message([this] { (void)read_plan_throughputs(folder_); });
  }
  std::filesystem::path folder_;
};

TEST_F(PlanFolder, IsATableOfRates) {
  write("mine@h100@8.json", R"({"format": "berth-plan", "seconds_per_batch": 0.25})");
  write("ResNet-18 (batch size 64)@h100@1.json", R"({"makespan_seconds": 2})");
  const std::vector<std::string> gpus = {"h100"};

  const ThroughputTable table = read_plan_throughputs(folder_);

  EXPECT_EQ(table.rates("test", {"mine", 0}, 8, gpus, true), std::vector<double>{4.0});
  EXPECT_EQ(table.rates("test", {"mine", 0}, 8, gpus, false), std::vector<double>{4.0});
  EXPECT_EQ(table.rates("test", {"ResNet-18", 64}, 1, gpus, true), std::vector<double>{0.5});
}

TEST_F(PlanFolder, SaysWhichFileIsWrong) {
  EXPECT_NE(refusal().find("no folder with files JOB@ACCELERATOR@GANG.json"), std::string::npos);
  write("mine@h100.json", "{}");
  EXPECT_NE(refusal().find("mine@h100.json: a name that says nothing"), std::string::npos);
  std::filesystem::remove(folder_ / "mine@h100.json");
  write("mine@h100@8.json", R"({"seconds_per_batch": 0})");
  EXPECT_NE(refusal().find("mine@h100@8.json:/seconds_per_batch: 0; expected a number of seconds"),
            std::string::npos);
  write("mine@h100@8.json", "[1");
  EXPECT_NE(refusal().find("no JSON object"), std::string::npos);
  write("mine@h100@8.json", "{}");
  EXPECT_NE(refusal().find("neither seconds_per_batch nor makespan_seconds"), std::string::npos);
}

}  // namespace
}  // namespace berth::datasets
