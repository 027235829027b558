// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute/quality_study.hpp"

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(QualityStudy, IntervalsAreStudents) {
  // Mean 2, standard deviation 1, 3 values: 4.303 / sqrt(3).
  const Interval interval = mean_interval({1.0, 2.0, 3.0});

  EXPECT_NEAR(interval.mean, 2.0, 1e-12);
  EXPECT_NEAR(interval.half_width, 2.4843, 1e-3);
  EXPECT_EQ(mean_interval({5.0}).half_width, 0.0);
}

TEST(QualityStudy, ADifferenceIsClaimedOnlyWhereItsIntervalExcludesZero) {
  QualityRow row;
  row.job = "j";
  row.metric = "RMSE";
  row.larger_is_better = false;
  // Same steps: merged - single = 0.1, 0.11, 0.09: surely larger, so worse. Same time: -1, 1, 0.
  row.samples = {{1.1, 1.0, 2.1, 1, 2}, {1.21, 1.1, 0.21, 1, 2}, {1.09, 1.0, 1.09, 1, 2}};

  const std::string json = quality_json({row});

  EXPECT_NE(json.find(R"("same_steps":"worse")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("same_time":"no difference shown")"), std::string::npos) << json;
  row.larger_is_better = true;
  EXPECT_NE(quality_json({row}).find(R"("same_steps":"better")"), std::string::npos);
  row.samples.resize(1);
  EXPECT_NE(quality_json({row}).find(R"("same_steps":"no difference shown")"), std::string::npos);
}

}  // namespace
}  // namespace berth::launcher
