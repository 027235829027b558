// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "train_process.hpp"

namespace berth::testing {
namespace {

TEST(Kills, TenKillsAtRandomMomentsChangeNoByte) {
  const TrainFixture fixture;
  const std::vector<std::string> slow = {
      "--set", "table.busy_microseconds=3000", "--set", "checkpoint_every=1"};
  ASSERT_EQ(fixture.train(0, "whole", slow).code, 0);
  std::vector<std::string> resume = slow;
  resume.push_back("--resume");
  Rng rng(1, {0x6b696c6c});
  int kills = 0;

  // 30 updates of 36 ms: a process that lives 0.1 to 0.6 s after its start is in the middle.
  for (int i = 0; i < 10; ++i) {
    Process process(fixture.words(0, "run", resume), fixture / "run-log");
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + rng.below(500)));
    kills += process.is_running() ? 1 : 0;
    process.signal(SIGKILL);
    static_cast<void>(process.wait());
  }
  const Finished last = fixture.train(2, "run", resume);

  EXPECT_GE(kills, 3);
  EXPECT_EQ(last.code, 0) << last.err;
  for (const std::string name :
       {"/checkpoints/latest.h5", "/checkpoints/best.h5", "/best_placement.json"}) {
    EXPECT_TRUE(fixture.content("run" + name) == fixture.content("whole" + name)) << name;
  }
  EXPECT_EQ(fixture.timeless_metrics("run"), fixture.timeless_metrics("whole"));
}

}  // namespace
}  // namespace berth::testing
