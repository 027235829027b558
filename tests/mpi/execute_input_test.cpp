// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <gtest/gtest.h>

#include "execute_fixture.hpp"

namespace berth::testing {
namespace {

/// One line on standard error after the log's, with its code.
class ExecuteInput : public ::testing::Test {
 protected:
  void expect(const Finished& run, int code, const std::string& part) const {
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << "no '" << part << "' in:\n" << run.err;
    EXPECT_EQ(run.err.find("terminate called"), std::string::npos) << run.err;
  }
  std::string with(const std::string& from, const std::string& to) const {
    return std::string(kStepMix).replace(std::string(kStepMix).find(from), from.size(), to);
  }

  ExecuteFixture fixture_;
};

TEST_F(ExecuteInput, AnUnknownModelIsNamedWithItsPlace) {
  fixture_.write("mix.toml", with("model = \"line\"", "model = \"lime\""));

  expect(fixture_.execute(0, "run"), 3, "mix.toml:9: ");
  expect(fixture_.execute(0, "other"), 3, "'lime'");
}

TEST_F(ExecuteInput, AnUnknownOptionOfAModelIsNamedWithItsPlace) {
  fixture_.write("mix.toml", with("rate = 0.1", "rat = 0.1"));

  expect(fixture_.execute(0, "run"), 2, "mix.toml:18: ");
}

TEST_F(ExecuteInput, MoreRanksThanNodesAreRefused) {
  expect(fixture_.execute(4, "run"), 2, "3 nodes and 4 ranks; expected at most a rank a node");
}

TEST_F(ExecuteInput, AnUnknownSchedulerOrRuleIsRefused) {
  expect(fixture_.execute(0, "run", {"--scheduler", "hadra"}), 3, "hadra");
  EXPECT_FALSE(std::filesystem::exists(fixture_ / "run")) << "refused, and a folder was made";
  expect(fixture_.execute(0, "run", {"--merge-weights", "best"}), 2, "--merge-weights");
  expect(fixture_.execute(0, "run", {"--study", "speed"}), 2, "expected quality");
  expect(fixture_.execute(0, "run", {"--seeds", "2"}), 2, "--seeds: has no effect without --study");
}

TEST_F(ExecuteInput, AMixThatIsAbsentOrNoTomlIsRefused) {
  fixture_.write("mix.toml", "slot_steps = = 3\n");
  expect(fixture_.execute(2, "run"), 2, "mix.toml:1: no TOML");
  std::filesystem::remove(fixture_ / "mix.toml");
  expect(fixture_.execute(0, "run"), 2, "mix.toml");
}

TEST_F(ExecuteInput, AFolderIsNeededAndTakenOnce) {
  expect(fixture_.execute(0, "", {}), 2, "no --out; expected --out DIR, a new folder");
  ASSERT_EQ(fixture_.execute(0, "run").code, 0);
  expect(fixture_.execute(0, "run"), 2, "not empty; expected a new folder");
}

TEST_F(ExecuteInput, ResumeNeedsACheckpoint) {
  expect(fixture_.execute(0, "run", {"--resume"}), 2, "no checkpoint to --resume from");
  EXPECT_FALSE(std::filesystem::exists(fixture_ / "run"));
  std::filesystem::create_directories(fixture_ / "run/checkpoints");
  expect(fixture_.execute(0, "run", {"--resume"}), 2, "no checkpoint to --resume from");
}

TEST_F(ExecuteInput, FilesAreTriedBeforeTheRunAndWhatAStudyDoesNotWriteIsRefused) {
  for (const char* option : {"--trace", "--report"}) {
    const std::string file = (fixture_ / "nowhere/file").string();
    expect(fixture_.execute(0, "run", {option, file}), 2, "nowhere/file: cannot create");
    EXPECT_FALSE(std::filesystem::exists(fixture_ / "run"));
    expect(fixture_.execute(0, "", {"--study", "quality", option, file}), 2, "with --study");
  }
}

TEST_F(ExecuteInput, ResumeOfAnotherMixNamesTheFirstDifference) {
  ASSERT_EQ(fixture_.execute(0, "run").code, 0);
  fixture_.write("mix.toml", with("rate = 0.1", "rate = 0.2"));

  expect(fixture_.execute(0, "run", {"--resume"}),
         2,
         "--resume of another mix; in checkpoint and mix differ jobs/short/options/rate: ");
}

TEST_F(ExecuteInput, ATruncatedCheckpointIsRefusedAndTheOneBeforeTaken) {
  ASSERT_EQ(fixture_.execute(0, "run", {"--keep-checkpoints", "2"}).code, 0);
  const std::string whole = fixture_.content("run/checkpoints/latest.h5");
  const std::string lines = fixture_.content("run/rounds.jsonl");
  const auto cut = [](const std::filesystem::path& file) {
    std::filesystem::resize_file(file, 1000);
  };

  cut(fixture_ / "run/checkpoints/latest.h5");
  const Finished resumed = fixture_.execute(0, "run", {"--resume", "--keep-checkpoints", "2"});
  expect(resumed, 0, "continuing from the previous checkpoint");
  EXPECT_TRUE(fixture_.content("run/checkpoints/latest.h5") == whole);
  EXPECT_EQ(fixture_.content("run/rounds.jsonl"), lines);

  for (const auto& file : std::filesystem::directory_iterator(fixture_ / "run/checkpoints")) {
    cut(file.path());
  }
  expect(fixture_.execute(0, "run", {"--resume"}), 2, "no other checkpoint in");
}

TEST_F(ExecuteInput, AnEndlessStepNamesItsRankAndRound) {
  fixture_.write("mix.toml", with("steps = 600", "steps = 600\nsleep_at = 45"));

  const Finished run = fixture_.execute(3, "run", {"--watchdog-seconds", "1"});

  EXPECT_NE(run.code, 0);
  EXPECT_NE(run.err.find("silent for over 1 s in training of round 0"), std::string::npos)
      << run.err;
}

TEST_F(ExecuteInput, AJobIsKeptOnce) {
  expect(fixture_.execute(0, "run", {"--jobs", "short,short"}),
         2,
         "--jobs: 'short' is given twice; expected each once");
}

TEST_F(ExecuteInput, PrintConfigAndHelpNeedNoRun) {
  const Finished config = fixture_.execute(0, "run", {"--print-config", "--seed", "9"});
  const Finished help = fixture_.execute(0, "run", {"--help"});

  EXPECT_EQ(config.code, 0) << config.err;
  EXPECT_EQ(nlohmann::json::parse(config.out)["mix"]["seed"], "9");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("--merge-weights"), std::string::npos);
}

}  // namespace
}  // namespace berth::testing
