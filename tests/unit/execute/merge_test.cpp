// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute/merge.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

namespace berth::launcher {
namespace {

const std::vector<TrainingTensor> kTensors = {{"w", TensorRole::kParameter, {2}},
                                              {"b", TensorRole::kBuffer, {1}},
                                              {"m", TensorRole::kOptimizer, {2}}};

MergeCopy copy_of(std::uint64_t steps, const std::vector<float>& state) {
  MergeCopy copy;
  copy.steps = steps;
  copy.counters = {100 + steps, 50 + steps};
  copy.state = state;
  return copy;
}

TEST(Merge, WeightsSumToOneUnderEveryRule) {
  const std::vector<float> state(5, 1.0F);
  Rng rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<MergeCopy> copies;
    for (std::uint64_t i = 0; i <= rng.below(6); ++i) {
      MergeCopy copy = copy_of(rng.below(1000), state);
      copy.batch = 1 + rng.below(64);
      copy.validation_loss = rng.uniform();
      copies.push_back(copy);
    }
    copies.front().steps += 1;
    for (const MergeWeights rule : {MergeWeights::kSteps,
                                    MergeWeights::kSamples,
                                    MergeWeights::kUniform,
                                    MergeWeights::kInverseValidationLoss}) {
      const std::vector<double> omega = merge_weights(copies, rule);
      EXPECT_NEAR(std::accumulate(omega.begin(), omega.end(), 0.0), 1.0, 1e-12);
      for (std::size_t i = 0; i < copies.size(); ++i) {
        EXPECT_GE(omega[i], 0.0);
        EXPECT_TRUE(copies[i].steps > 0 || omega[i] == 0.0);
      }
    }
  }
}

TEST(Merge, WeightsAreWhatTheirRulesSay) {
  const std::vector<float> state(5, 1.0F);
  std::vector<MergeCopy> copies = {copy_of(30, state), copy_of(10, state), copy_of(0, state)};
  copies[0].batch = 1;
  copies[1].batch = 9;
  copies[0].validation_loss = 0.5;
  copies[1].validation_loss = 0.25;

  EXPECT_EQ(merge_weights(copies, MergeWeights::kSteps), (std::vector<double>{0.75, 0.25, 0.0}));
  // 30 x 1 and 10 x 9 samples.
  EXPECT_EQ(merge_weights(copies, MergeWeights::kSamples), (std::vector<double>{0.25, 0.75, 0.0}));
  EXPECT_EQ(merge_weights(copies, MergeWeights::kUniform), (std::vector<double>{0.5, 0.5, 0.0}));
  // 1 / 0.5 and 1 / 0.25: 2 and 4.
  const std::vector<double> by_loss = merge_weights(copies, MergeWeights::kInverseValidationLoss);
  EXPECT_NEAR(by_loss[0], 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(by_loss[1], 2.0 / 3.0, 1e-15);
}

TEST(Merge, AnUnusableValidationLossCountsNothingAndStepsDecideIfAllAre) {
  const std::vector<float> state(5, 1.0F);
  std::vector<MergeCopy> copies = {copy_of(30, state), copy_of(10, state)};
  copies[0].validation_loss = std::numeric_limits<double>::quiet_NaN();
  copies[1].validation_loss = 0.25;

  EXPECT_EQ(merge_weights(copies, MergeWeights::kInverseValidationLoss),
            (std::vector<double>{0.0, 1.0}));
  copies[1].validation_loss = 0.0;
  EXPECT_EQ(merge_weights(copies, MergeWeights::kInverseValidationLoss),
            (std::vector<double>{0.75, 0.25}));
}

TEST(Merge, EqualCopiesMergeToThemselves) {
  Rng rng(2);
  std::vector<float> state(5);
  for (float& value : state) {
    value = static_cast<float>(rng.uniform() * 10.0 - 5.0);
  }
  const std::vector<MergeCopy> copies = {copy_of(7, state), copy_of(11, state), copy_of(3, state)};

  const MergedState merged = merge_copies(kTensors, copies, {100, 50}, {});

  for (std::size_t i = 0; i < state.size(); ++i) {
    EXPECT_NEAR(merged.state[i], state[i], 1e-6);
  }
}

TEST(Merge, AveragesParametersBuffersAndMoments) {
  const std::vector<float> a = {1.0F, 2.0F, 3.0F, 4.0F, 8.0F};
  const std::vector<float> b = {5.0F, 6.0F, 7.0F, 8.0F, 0.0F};
  const std::vector<MergeCopy> copies = {copy_of(30, a), copy_of(10, b)};

  const MergedState merged = merge_copies(kTensors, copies, {100, 50}, {});

  // 3/4 of the first, 1/4 of the second.
  EXPECT_EQ(merged.state, (std::vector<float>{2.0F, 3.0F, 4.0F, 5.0F, 6.0F}));
  EXPECT_EQ(merged.counters.schedule_steps, 140U);  // 100 + 30 + 10
  EXPECT_EQ(merged.counters.optimizer_steps, 75U);  // 3/4 80 + 1/4 60
}

TEST(Merge, ResetsMomentsAndAdvancesSchedulesByTheMeanIfAsked) {
  const std::vector<float> a = {1.0F, 2.0F, 3.0F, 4.0F, 8.0F};
  const std::vector<float> b = {1.0F, 2.0F, 3.0F, 8.0F, 0.0F};
  const std::vector<MergeCopy> copies = {copy_of(30, a), copy_of(10, b)};
  MergeRule rule;
  rule.reset_optimizer = true;
  rule.mean_of_counters = true;

  const MergedState merged = merge_copies(kTensors, copies, {100, 50}, rule);

  EXPECT_EQ(merged.state, (std::vector<float>{1.0F, 2.0F, 3.0F, 0.0F, 0.0F}));
  EXPECT_EQ(merged.counters, (TrainingCounters{120, 0}));  // 100 + (30 + 10) / 2
}

TEST(Merge, ALostCopyLeavesTheOthersOnly) {
  const std::vector<float> a = {1.0F, 2.0F, 3.0F, 4.0F, 8.0F};
  const std::vector<float> b = {5.0F, 6.0F, 7.0F, 8.0F, 0.0F};
  const std::vector<MergeCopy> two = {copy_of(30, a), copy_of(10, b)};
  const std::vector<MergeCopy> with_lost = {copy_of(30, a), MergeCopy{}, copy_of(10, b)};

  const MergedState expected = merge_copies(kTensors, two, {100, 50}, {});
  const MergedState merged = merge_copies(kTensors, with_lost, {100, 50}, {});

  EXPECT_EQ(merged.state, expected.state);
  EXPECT_EQ(merged.counters, expected.counters);
  EXPECT_EQ(merged.omega, (std::vector<double>{0.75, 0.0, 0.25}));
}

TEST(Merge, ASingleCopyIsTakenOverBitByBitMomentsToo) {
  const std::vector<float> a = {0.1F, 0.2F, 0.3F, 0.4F, 0.8F};
  MergeRule rule;
  rule.reset_optimizer = true;
  const std::vector<MergeCopy> copies = {MergeCopy{}, copy_of(30, a)};

  const MergedState merged = merge_copies(kTensors, copies, {100, 50}, rule);

  EXPECT_EQ(merged.state, a);
  EXPECT_EQ(merged.counters, (TrainingCounters{130, 80}));
}

}  // namespace
}  // namespace berth::launcher
