// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Trainings that start from the weights of others.

#include <gtest/gtest.h>

#include "train_process.hpp"

namespace berth::testing {
namespace {

constexpr const char* kShippedDoppler = BERTH_SOURCE_DIR "/checkpoints/doppler.h5";

TEST(TrainWeights, OfAnotherRunAreWhereATrainingStartsOnAnyNumberOfRanks) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "first").code, 0);
  const std::string from = (fixture / "first").string();

  const Finished fresh = fixture.train(0, "fresh", {"--seed", "77"});
  const Finished further = fixture.train(0, "further", {"--seed", "77", "--weights", from});
  const Finished two = fixture.train(2, "two", {"--seed", "77", "--weights", from});

  ASSERT_EQ(fresh.code, 0) << fresh.err;
  ASSERT_EQ(further.code, 0) << further.err;
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_NE(further.err.find("starting from weights checkpoint=" + from), std::string::npos)
      << further.err;
  // The first stage plays the teacher's placements; after it the policies' own differ.
  EXPECT_NE(fixture.timeless_metrics("further"), fixture.timeless_metrics("fresh"));
  EXPECT_EQ(fixture.content("further/checkpoints/latest.h5"),
            fixture.content("two/checkpoints/latest.h5"));
  EXPECT_EQ(fixture.timeless_metrics("further"), fixture.timeless_metrics("two"));
}

TEST(TrainWeights, AreNoMatterWhenTheRunIsResumed) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "first").code, 0);
  const std::vector<std::string> start = {"--weights", (fixture / "first").string()};
  ASSERT_EQ(fixture.train(0, "whole", start).code, 0);
  ASSERT_EQ(fixture.train(0, "again", start).code, 0);
  const std::string whole = fixture.content("whole/checkpoints/latest.h5");

  std::vector<std::string> resume = start;
  resume.emplace_back("--resume");
  const Finished resumed = fixture.train(0, "again", resume);
  const Finished other = fixture.train(0, "again", {"--resume", "--weights", "moved-away"});

  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(fixture.content("again/checkpoints/latest.h5"), whole);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(fixture.content("again/checkpoints/latest.h5"), whole);
}

TEST(TrainWeights, ThatAreNotThereOrOfAnotherPolicyGiveOneLine) {
  const TrainFixture fixture;
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* message;
  };
  ASSERT_EQ(fixture.train(0, "first").code, 0);
  const std::string first = (fixture / "first").string();
  fixture.write("damaged.h5", "no checkpoint");
  const Case cases[] = {
      {{"--weights", (fixture / "absent.h5").string()}, 2, "absent.h5"},
      {{"--weights", (fixture / "damaged.h5").string()}, 2, "damaged.h5"},
      {{"--weights", kShippedDoppler}, 2, "holds policy 'doppler'; the campaign trains 'table'"},
      {{"--weights", "shipped"}, 2, "weights 'shipped': none ship for policy 'table'"},
      {{"--weights", first, "--set", "table.ops=9"}, 2, "berth: weights "},
  };
  int number = 0;
  for (const Case& bad : cases) {
    const std::string run = "run" + std::to_string(number++);
    const Finished finished = fixture.train(0, run, bad.words);
    EXPECT_EQ(finished.code, bad.code) << finished.err;
    EXPECT_NE(finished.err.find(bad.message), std::string::npos) << finished.err;
    // Nothing is in the way of a second attempt.
    EXPECT_EQ(fixture.train(0, run, {"--weights", first}).code, 0) << bad.message;
  }
}

}  // namespace
}  // namespace berth::testing
