// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/campaign_record.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "checkpoints/state_recorder.hpp"

namespace berth::launcher {
namespace {

CampaignRecord sample() {
  CampaignRecord record;
  record.update = 7;
  record.rollouts = 84;
  record.failed = 2;
  record.window_ratio_sum = 1.5;
  record.window_count = 12;
  record.best_window_ratio = 1.25;
  record.best_window_stage = 1;
  record.problems.resize(2);
  record.problems[0].best.device = {DeviceId{2}, DeviceId{0}};
  record.problems[0].best.order = {0.5, -1.0};
  record.problems[0].best_source = "heft";
  record.problems[0].best_makespan = 10.5;
  record.problems[0].learned_makespan = 11.0;
  record.problems[0].simulations = 99;
  record.problems[0].incumbents = {{"heft", 10.5, 1, {}}, {"annealing(restarts=2)", 12.0, 50, {}}};
  return record;
}

TEST(CampaignRecord, SaveLoadSaveIsIdentical) {
  checkpoints::State first;
  checkpoints::StateRecorder to_first(first, "farm/");
  sample().save(to_first);

  CampaignRecord loaded;
  loaded.load(checkpoints::StateReplay(first, "farm/", "x.h5"), 2);
  checkpoints::State second;
  checkpoints::StateRecorder to_second(second, "farm/");
  loaded.save(to_second);

  EXPECT_EQ(first, second);
  EXPECT_EQ(loaded.problems[0].best, sample().problems[0].best);
  EXPECT_EQ(loaded.problems[0].incumbents[1].policy, "annealing(restarts=2)");
  EXPECT_EQ(loaded.update, 7U);
  EXPECT_EQ(loaded.problems[1].learned_makespan, std::numeric_limits<double>::infinity());
}

TEST(CampaignRecord, RefusesAnotherNumberOfProblems) {
  checkpoints::State state;
  checkpoints::StateRecorder recorder(state, "farm/");
  sample().save(recorder);
  CampaignRecord loaded;

  try {
    loaded.load(checkpoints::StateReplay(state, "farm/", "x.h5"), 3);
    FAIL() << "expected a CheckpointError";
  } catch (const CheckpointError& error) {
    EXPECT_STREQ(error.what(), "checkpoint of a campaign with 2 problems; expected 3");
  }
}

}  // namespace
}  // namespace berth::launcher
