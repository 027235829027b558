// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "train_process.hpp"

namespace berth::testing {
namespace {

/// Replaces `from` in the fixture's campaign and runs it.
Finished train_with(const TrainFixture& fixture, const std::string& from, const std::string& to) {
  std::string text = fixture.content("campaign.toml");
  text.replace(text.find(from), from.size(), to);
  fixture.write("campaign.toml", text);
  return fixture.train(0, "run");
}

struct BadCampaign {
  const char* from;
  const char* to;
  const char* message;  ///< After the file's name.
};

class BadCampaignTest : public ::testing::TestWithParam<BadCampaign> {};

TEST_P(BadCampaignTest, GivesOneLineWithPlaceFoundAndExpected) {
  const TrainFixture fixture;

  const Finished run = train_with(fixture, GetParam().from, GetParam().to);

  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err, "berth: " + (fixture / "campaign.toml").string() + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Train,
    BadCampaignTest,
    ::testing::Values(
        BadCampaign{
            "rollouts =", "rolouts =", ":3: unknown key 'rolouts'; did you mean 'rollouts'?"},
        BadCampaign{"rollouts = 12",
                    "rollouts = 0",
                    ":3: rollouts: '0'; expected an integer from 1 to 1e+06"},
        BadCampaign{"kind = \"imitation\"",
                    "kind = \"imitating\"",
                    ":13: kind: 'imitating'; expected one of imitation,simulation,execution"},
        BadCampaign{"graph = \"a.json\"",
                    "grph = \"a.json\"",
                    ":8: unknown option 'grph'; did you mean 'graph'?"},
        BadCampaign{
            "ops = 8", "opps = 8", ":21: table: unknown option 'opps'; did you mean 'ops'?"},
        BadCampaign{"seed = 5",
                    "seed = [5]",
                    ":2: 'seed' is a list, a table or a date; expected text, a number, true or "
                    "false"}));

TEST(TrainInput, RefusesAFolderThatIsNotEmpty) {
  const TrainFixture fixture;
  std::filesystem::create_directory(fixture / "run");
  fixture.write("run/x", "x");

  const Finished run = fixture.train(0, "run");

  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err,
            "berth: " + (fixture / "run").string() +
                ": not empty; expected a new folder; continue the run in it by --resume, or choose "
                "another --out\n");
}

TEST(TrainInput, TheEmptyLogOfARunThatNeverBeganIsNoRun) {
  const TrainFixture fixture;
  std::filesystem::create_directory(fixture / "run");
  fixture.write("run/metrics.jsonl", "");

  EXPECT_EQ(fixture.train(0, "run").code, 0);
  EXPECT_NE(fixture.content("run/metrics.jsonl"), "");
}

TEST(TrainInput, AnErrorOfAllRanksIsToldOnce) {
  const TrainFixture fixture;
  fixture.write("a.json", "{");

  const Finished run = fixture.train(2, "run");

  EXPECT_EQ(run.code, 2);
  const std::size_t first = run.err.find("berth: rank 0: ");
  EXPECT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("berth: rank 1: "), std::string::npos) << run.err;
}

TEST(TrainInput, NamesAnUnknownSettingAndPolicy) {
  const TrainFixture fixture;

  const Finished setting = fixture.train(0, "run", {"--set", "updats=3"});
  const Finished policy = fixture.train(0, "run", {"--policy", "tabel"});

  EXPECT_EQ(setting.code, 2);
  EXPECT_EQ(setting.err, "berth: --set updats=3: unknown key 'updats'; did you mean 'updates'?\n");
  EXPECT_EQ(policy.code, 3);
  EXPECT_NE(policy.err.find("tabel"), std::string::npos) << policy.err;
}

TEST(TrainInput, PrintsTheEffectiveConfiguration) {
  const TrainFixture fixture;

  const Finished run = fixture.train(
      0, "run", {"--print-config", "--set", "table.rate=0.5", "--set", "seed=7", "--seed", "9"});

  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("\"seed\":\"9\""), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\"rate\":\"0.5\""), std::string::npos) << run.out;
  EXPECT_FALSE(std::filesystem::exists(fixture / "run"));
}

}  // namespace
}  // namespace berth::testing
