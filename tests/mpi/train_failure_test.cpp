// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>

#include <gtest/gtest.h>

#include "train_process.hpp"

namespace berth::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

AssertionResult holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos ? AssertionSuccess()
                                              : AssertionFailure() << "no '" << part << "' in:\n"
                                                                   << text;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(TrainFailure, AFailingRankIsNamedAndEndsTheJobWithinSeconds) {
  const TrainFixture fixture;
  const auto begin = std::chrono::steady_clock::now();

  const Finished run = fixture.train(2, "run", {"--set", "table.crash_at=3"});

  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_TRUE(holds(run.err, "berth: rank 1: plugin 'table'"));
  EXPECT_TRUE(holds(run.err, "a planned failure"));
  EXPECT_LT(seconds_since(begin), 20.0);
}

TEST(TrainFailure, ARankThatHangsNamesItselfAndItsRollout) {
  const TrainFixture fixture;

  // 4 groups of 3: the second of two ranks has rollouts 6 to 11 of the first update.
  const Finished run =
      fixture.train(2, "run", {"--set", "table.sleep_id=8", "--watchdog-seconds", "1"});

  EXPECT_NE(run.code, 0);
  EXPECT_TRUE(holds(run.err, "berth: rank 1: silent for over 1 s in rollout 8"));
}

TEST(TrainFailure, ANanRolloutIsRejectedByNameAndTheRunGoesOn) {
  const TrainFixture fixture;

  const Finished run = fixture.train(2, "run", {"--set", "table.nan_id=100"});

  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(holds(run.err, "rejected rollout 100 (seed "));
  EXPECT_TRUE(holds(run.err, ", policy version 8): "));  // 100 / 12 rollouts an update
  EXPECT_TRUE(holds(fixture.content("run/metrics.jsonl"), "\"failed\":1"));
}

TEST(TrainFailure, TooManyFailedRolloutsEndTheRunNamingTheFirst) {
  const TrainFixture fixture;

  const Finished run =
      fixture.train(2, "run", {"--set", "table.throw_id=100", "--max-failed-rollouts", "0.05"});

  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(holds(run.err,
                    "berth: update 8: 1 of 12 rollouts failed, more than --max-failed-rollouts "
                    "allows; the first: rollout 100 (seed "));
  EXPECT_TRUE(holds(run.err, "a planned exception"));
}

TEST(TrainFailure, RanksThatDriftApartAreNamed) {
  const TrainFixture fixture;

  const Finished run = fixture.train(2, "run", {"--set", "table.drift_at=2"});

  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(holds(run.err, "berth: update 3: rank 1 holds other weights than rank 0"));
}

TEST(TrainFailure, AFullDiskIsAClearErrorThatLeavesThePreviousCheckpoint) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "run", {"--set", "keep_checkpoints=1"}).code, 0);
  const std::string before = fixture.content("run/checkpoints/latest.h5");
  std::filesystem::remove(fixture / "run/checkpoints/update_000000000030.h5");
  ASSERT_EQ(fixture.train(0, "again").code, 0);
  // The next checkpoint of this run would be written to a full device.
  std::filesystem::create_directories(fixture / "full/checkpoints");
  std::filesystem::create_symlink("/dev/full",
                                  fixture / "full/checkpoints/update_000000000004.h5.partial");

  const Finished run = fixture.train(0, "full", {"--resume"});

  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(holds(run.err, "cannot write: No space left on device"));
  EXPECT_FALSE(holds(run.err, "MPI_ABORT")) << "one rank has nobody to abort";
  EXPECT_TRUE(fixture.content("run/checkpoints/latest.h5") == before);
}

}  // namespace
}  // namespace berth::testing
