// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "train_process.hpp"

namespace berth::testing {
namespace {

/// `berth plan ...` alone (0 ranks) or under mpirun; a folder of its own.
class PlanRanksTest : public ::testing::Test {
 protected:
  PlanRanksTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-plan-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~PlanRanksTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Finished plan(int ranks, const std::vector<std::string>& more) const {
    std::vector<std::string> words;
    if (ranks > 0) {
      words = {"mpirun", "--timeout", "50", "--bind-to", "none"};
      for (const char* word : {"--mca", "btl", "self,vader", "-np"}) {
        words.emplace_back(word);
      }
      words.push_back(std::to_string(ranks));
    }
    words.emplace_back(BERTH_EXECUTABLE);
    words.emplace_back("plan");
    words.insert(words.end(), more.begin(), more.end());
    return Process(words, folder_ / "log").wait();
  }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path folder_;
};

TEST_F(PlanRanksTest, AnyNumberOfRanksGivesTheSameBytes) {
  const std::vector<std::string> words = {"llama2-7b",
                                          "--cluster",
                                          "h100-spineleaf-64",
                                          "--global-batch",
                                          "256",
                                          "--json",
                                          "--top-k",
                                          "12"};
  const Finished alone = plan(0, words);
  ASSERT_EQ(alone.code, 0) << alone.err;
  ASSERT_EQ(std::count(alone.out.begin(), alone.out.end(), '\n'), 12);

  for (const int ranks : {1, 2, 4}) {
    const Finished many = plan(ranks, words);

    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_TRUE(many.out == alone.out) << ranks << " ranks print other plans";
  }
}

TEST_F(PlanRanksTest, MoreRanksThanConfigurationsWriteTheSamePlanFile) {
  // All degrees inside a block pinned: one configuration, three ranks.
  std::vector<std::string> words = {"llama2-7b",
                                    "--cluster",
                                    "h100-spineleaf-64",
                                    "--pin",
                                    "tp=2,cp=1,mbs=1,sp=true",
                                    "--out",
                                    (folder_ / "alone.json").string()};
  ASSERT_EQ(plan(0, words).code, 0);
  words.back() = (folder_ / "three.json").string();

  const Finished many = plan(3, words);

  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_FALSE(content("alone.json").empty());
  EXPECT_EQ(content("alone.json"), content("three.json"));
  EXPECT_EQ(std::count(many.err.begin(), many.err.end(), '\n'), 1) << "one rank speaks";
}

TEST_F(PlanRanksTest, AFailureOfAllIsSaidOnceWithItsCode) {
  const std::vector<std::string> words = {
      "gpt3-175b", "--cluster", "h100-spineleaf-64", "--pin", "tp=1,pp=1,zero=0"};
  const Finished alone = plan(0, words);
  ASSERT_EQ(alone.code, 4);

  const Finished many = plan(2, words);

  EXPECT_EQ(many.code, 4);
  EXPECT_TRUE(many.out.empty());
  const std::size_t said = many.err.find(alone.err);  // mpirun has a word of its own
  ASSERT_NE(said, std::string::npos) << many.err;
  EXPECT_EQ(many.err.find("berth: ", said + 1), std::string::npos) << many.err;
}

}  // namespace
}  // namespace berth::testing
