// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/progress_line.hpp"

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(ProgressLine, ShowsRateGapAndTimeLeft) {
  ProgressState state;
  state.update = 120;
  state.updates = 400;
  state.stage = "simulation";
  state.rollouts = 2000;
  state.best = "1.2 ms";
  state.mean = "1.4 ms";
  state.gap = 0.034;

  // 100 updates since update 20 took 50 s: 0.5 s each, 280 are left.
  EXPECT_EQ(progress_text(state, 50.0, 20, 0),
            "update 120/400 simulation, 40 rollouts/s, best 1.2 ms, mean 1.4 ms, gap 3.4 %, ETA "
            "2:20");
  EXPECT_EQ(progress_text(state, 50.0, 20, 10).substr(0, 13), "[###.......] ");
}

TEST(ProgressLine, KnowsNoTimeLeftBeforeTheFirstUpdate) {
  ProgressState state;
  state.update = 20;
  state.updates = 400;

  const std::string text = progress_text(state, 0.0, 20, 0);

  EXPECT_NE(text.find("ETA unknown"), std::string::npos) << text;
}

}  // namespace
}  // namespace berth::launcher
