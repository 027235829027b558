// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/stage_plan.hpp"

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

std::vector<std::uint64_t> scaled(std::vector<std::uint64_t> stages, std::uint64_t updates) {
  std::vector<StagePart> parts;
  for (const std::uint64_t stage : stages) {
    parts.push_back({Stage::kSimulation, stage});
  }
  std::vector<std::uint64_t> result;
  const StagePlan plan = StagePlan(parts).scaled_to(updates);
  for (const StagePart& part : plan.parts()) {
    result.push_back(part.updates);
  }
  return result;
}

using Updates = std::vector<std::uint64_t>;

TEST(StagePlan, ScalesStagesInProportion) {
  EXPECT_EQ(scaled({50, 150}, 20), (Updates{5, 15}));
  EXPECT_EQ(scaled({50, 150}, 400), (Updates{100, 300}));
  EXPECT_EQ(scaled({1, 1, 1}, 4), (Updates{2, 1, 1}));  // the earlier takes the remainder
  EXPECT_EQ(scaled({0, 10}, 3), (Updates{0, 3}));
}

TEST(StagePlan, KeepsEveryStageWhileThereAreUpdatesForIt) {
  EXPECT_EQ(scaled({1, 999}, 2), (Updates{1, 1}));
  EXPECT_EQ(scaled({999, 1}, 2), (Updates{1, 1}));
  EXPECT_EQ(scaled({10, 10, 10}, 2), (Updates{1, 1, 0}));
}

TEST(StagePlan, ProgressRunsFromZeroToOneInEachStage) {
  const StagePlan plan({{Stage::kImitation, 3}, {Stage::kSimulation, 1}});

  EXPECT_EQ(plan.updates(), 4U);
  EXPECT_EQ(plan.at(0).stage, Stage::kImitation);
  EXPECT_EQ(plan.at(0).progress, 0.0);
  EXPECT_EQ(plan.at(1).progress, 0.5);
  EXPECT_EQ(plan.at(2).progress, 1.0);
  EXPECT_EQ(plan.at(3).stage, Stage::kSimulation);
  EXPECT_EQ(plan.at(3).progress, 0.0);
}

}  // namespace
}  // namespace berth::launcher
