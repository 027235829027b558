// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_timeline.hpp"

#include <gtest/gtest.h>

#include "device_features.hpp"
#include "device_labels.hpp"
#include "sample_problems.hpp"
#include "teacher_labels.hpp"

namespace berth::doppler {
namespace {

class Timeline : public ::testing::Test {
 protected:
  std::shared_ptr<const PlacementProblem> problem_ = diamond(2);
  Settings settings_ = settings_of({});
  ProblemView view_ = make_view(*problem_, settings_);
};

TEST_F(Timeline, EarliestStartWaitsForRemoteInputs) {
  DeviceTimeline timeline(view_, TimelineRule::kEarliestStart, TimelineType::kDouble);
  timeline.look_at(0);
  timeline.assign(0);

  // Op 1 needs op 0, which ends at 1 on device 0; the transfer takes 10.
  timeline.look_at(1);
  EXPECT_EQ(timeline.earliest_start()[0], 1.0);
  EXPECT_EQ(timeline.earliest_start()[1], 11.0);
  timeline.assign(1);

  EXPECT_EQ(timeline.start_of(1), 11.0);
  EXPECT_EQ(timeline.end_of(1), 13.0);
  EXPECT_EQ(timeline.available(1), 13.0);
}

TEST_F(Timeline, TheReferencesRuleStartsAtTheLoadOfTheDevice) {
  DeviceTimeline timeline(view_, TimelineRule::kLoad, TimelineType::kDouble);
  timeline.look_at(0);
  timeline.assign(0);
  timeline.look_at(1);
  timeline.assign(1);

  EXPECT_EQ(timeline.start_of(1), 0.0);
  EXPECT_EQ(timeline.end_of(1), 2.0);
}

TEST_F(Timeline, EmptyExchangeableDevicesCountAsOneAction) {
  DeviceTimeline timeline(view_, TimelineRule::kEarliestStart, TimelineType::kDouble);
  timeline.merge_empty(true);

  timeline.look_at(0);
  EXPECT_EQ(timeline.legal()[0], 1);
  EXPECT_EQ(timeline.legal()[1], 0);
  timeline.assign(0);
  timeline.look_at(1);
  EXPECT_EQ(timeline.legal()[1], 1);
}

TEST_F(Timeline, Float32LosesSmallIncrementsAsTheReferenceDoes) {
  GraphBuilder builder("large");
  for (const double work : {1e13, 1.0}) {
    OpSpec op;
    op.work = work;
    builder.add_op(op);
  }
  const auto large = make_problem("large", builder.freeze(), Topology::uniform(1), {});
  const ProblemView view = make_view(*large, settings_);
  DeviceTimeline exact(view, TimelineRule::kEarliestStart, TimelineType::kDouble);
  DeviceTimeline coarse(view, TimelineRule::kEarliestStart, TimelineType::kFloat32);
  for (DeviceTimeline* timeline : {&exact, &coarse}) {
    for (const std::uint32_t v : {0U, 1U}) {
      timeline->look_at(v);
      timeline->assign(0);
    }
  }

  EXPECT_EQ(exact.available(0), 1e13 + 1.0);
  EXPECT_EQ(coarse.available(0), static_cast<double>(1e13F));
}

TEST_F(Timeline, TheTeacherTakesTheEarliestDeviceAndAllTies) {
  DeviceTimeline timeline(view_, TimelineRule::kEarliestStart, TimelineType::kDouble);
  std::vector<std::uint32_t> devices;

  timeline.look_at(0);
  teacher_devices(timeline, devices);
  EXPECT_EQ(devices, (std::vector<std::uint32_t>{0, 1}));
  timeline.assign(1);
  timeline.look_at(2);
  teacher_devices(timeline, devices);
  EXPECT_EQ(devices, (std::vector<std::uint32_t>{1}));
}

TEST_F(Timeline, TheTeacherPicksTheLongestPathToExit) {
  // b-levels: op 1: 2 + 10 + 1 = 13; op 2: 3 + 10 + 1 = 14.
  const std::vector<std::uint32_t> candidates{1, 2};
  std::vector<std::uint32_t> picks;

  teacher_picks(view_, candidates, picks);

  EXPECT_EQ(picks, (std::vector<std::uint32_t>{1}));
}

TEST_F(Timeline, FeatureRowsSayWhereTheRelativesAre) {
  DeviceTimeline timeline(view_, TimelineRule::kEarliestStart, TimelineType::kDouble);
  DeviceFeatures features(view_, /*rich=*/true);
  features.reset();
  std::vector<float> rows(2 * features.columns());
  for (const auto& [op, device] : {std::pair{0U, 0U}, {1U, 1U}}) {
    timeline.look_at(op);
    timeline.assign(device);
    features.assigned(timeline, device);
  }

  timeline.look_at(2);
  features.fill(timeline, rows);

  // Op 2: all its input is on device 0; its sibling, op 1, gives half of the inputs of op 3.
  const std::size_t second = features.columns();
  EXPECT_FLOAT_EQ(rows[6], 1.0F);
  EXPECT_FLOAT_EQ(rows[second + 6], 0.0F);
  EXPECT_FLOAT_EQ(rows[8], 0.0F);
  EXPECT_FLOAT_EQ(rows[second + 8], 0.5F);
}

TEST_F(Timeline, APlacementKeepsItsMeaningUnderOtherDeviceNumbers) {
  DeviceTimeline timeline(view_, TimelineRule::kEarliestStart, TimelineType::kDouble);
  timeline.merge_empty(true);
  const std::vector<DeviceId> placement = {
      to_id<DeviceId>(1), to_id<DeviceId>(0), to_id<DeviceId>(1), to_id<DeviceId>(0)};
  DeviceLabels labels(view_, placement);
  std::vector<std::uint32_t> seen;

  for (const std::uint32_t op : {0U, 1U, 2U, 3U}) {
    timeline.look_at(op);
    seen.push_back(labels.device(timeline));
    EXPECT_EQ(timeline.legal()[seen.back()], 1);
    timeline.assign(seen.back());
  }

  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

}  // namespace
}  // namespace berth::doppler
