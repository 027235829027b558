// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "train_process.hpp"

namespace berth::testing {
namespace {

const std::vector<std::string> kFiles = {"/checkpoints/latest.h5",
                                         "/checkpoints/best.h5",
                                         "/best_placement.json",
                                         "/best_placement_1.json"};

/// Waits until a run has written `lines` lines of metrics, or ended.
void await_updates(const TrainFixture& fixture,
                   const std::string& run,
                   long lines,
                   Process& process) {
  while (process.is_running()) {
    const std::string text = fixture.content(run + "/metrics.jsonl");
    if (std::count(text.begin(), text.end(), '\n') >= lines) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

const std::vector<std::string> kSlow = {"--set", "table.busy_microseconds=12000"};

/// One uninterrupted run serves all signals.
class SignalTest : public ::testing::TestWithParam<std::pair<int, int>> {
 protected:
  static void SetUpTestSuite() {
    whole_ = std::make_unique<TrainFixture>();
    ASSERT_EQ(whole_->train(0, "run", kSlow).code, 0);
  }
  static void TearDownTestSuite() { whole_.reset(); }

  static std::unique_ptr<TrainFixture> whole_;
};

std::unique_ptr<TrainFixture> SignalTest::whole_;

TEST_P(SignalTest, StopsWithACheckpointAndResumesByteForByte) {
  const auto [ranks, signal] = GetParam();
  const TrainFixture fixture;

  Finished stopped;
  {
    Process process(fixture.words(ranks, "run", kSlow), fixture / "run-log");
    await_updates(fixture, "run", 6, process);
    process.signal(signal);
    if (signal == SIGHUP) {
      // As of a terminal that closes: by its shell, and by the kernel when that has ended.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      process.signal(signal);
    }
    stopped = process.wait();
  }
  std::vector<std::string> again = kSlow;
  again.push_back("--resume");
  const Finished resumed = fixture.train(0, "run", again);

  EXPECT_NE(stopped.err.find("berth: stopped by signal " + std::to_string(signal)),
            std::string::npos)
      << stopped.err;
  if (ranks == 0) {
    EXPECT_EQ(stopped.code, 75);
  }
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  for (const std::string& name : kFiles) {
    EXPECT_TRUE(fixture.content("run" + name) == whole_->content("run" + name)) << name;
  }
  EXPECT_EQ(fixture.timeless_metrics("run"), whole_->timeless_metrics("run"));
}

INSTANTIATE_TEST_SUITE_P(Signals,
                         SignalTest,
                         ::testing::Values(std::pair(0, SIGTERM),
                                           std::pair(0, SIGINT),
                                           std::pair(0, SIGUSR1),
                                           std::pair(0, SIGHUP),
                                           std::pair(2, SIGUSR1),
                                           std::pair(2, SIGTERM)));

TEST(Resume, FallsBackToThePreviousCheckpointAndSaysSo) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "run").code, 0);
  const std::string latest = fixture.content("run/checkpoints/latest.h5");
  std::filesystem::resize_file(fixture / "run/checkpoints/latest.h5", 1000);

  const Finished resumed = fixture.train(0, "run", {"--resume"});

  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("checkpoint refused: "), std::string::npos) << resumed.err;
  EXPECT_NE(resumed.err.find("continuing from the previous checkpoint"), std::string::npos);
  EXPECT_TRUE(fixture.content("run/checkpoints/latest.h5") == latest);
}

TEST(Resume, OfAFinishedRunChangesNothing) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "run").code, 0);
  const std::string latest = fixture.content("run/checkpoints/latest.h5");
  const std::string metrics = fixture.content("run/metrics.jsonl");

  EXPECT_EQ(fixture.train(0, "run", {"--resume"}).code, 0);

  EXPECT_TRUE(fixture.content("run/checkpoints/latest.h5") == latest);
  EXPECT_EQ(fixture.content("run/metrics.jsonl"), metrics);
}

TEST(Resume, RefusesAnotherCampaignNamingWhatDiffers) {
  const TrainFixture fixture;
  ASSERT_EQ(fixture.train(0, "run").code, 0);

  const Finished other = fixture.train(0, "run", {"--resume", "--rollouts", "24"});

  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.err,
            "berth: " + (fixture / "run/checkpoints").string() +
                ": --resume of another campaign; in checkpoint and campaign differ "
                "campaign/rollouts: \"12\" and \"24\"\n");
}

}  // namespace
}  // namespace berth::testing
