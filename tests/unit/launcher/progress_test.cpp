// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.hpp"

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(Progress, IsToldAfterTwoSecondsOfWorkAndThenAtIntervals) {
  EXPECT_FALSE(is_progress_due(1.9, 1.9, /*is_first=*/true, 5.0));
  EXPECT_TRUE(is_progress_due(2.0, 2.0, /*is_first=*/true, 5.0));
  EXPECT_FALSE(is_progress_due(6.9, 4.9, /*is_first=*/false, 5.0));
  EXPECT_TRUE(is_progress_due(7.0, 5.0, /*is_first=*/false, 5.0));
}

TEST(Progress, CountsWhatIsDoneAndGuessesWhatIsLeft) {
  EXPECT_EQ(progress_text("compare", 0, 8, 2.4, "a, heft"), "compare 0/8, 2 s: a, heft");
  // Two of eight took 5 s: the other six take 15.
  EXPECT_EQ(progress_text("compare", 2, 8, 5.0, ""), "compare 2/8, 5 s, about 15 s left");
  EXPECT_EQ(progress_text("place", 0, 1, 7.0, "a, annealing"), "place, 7 s: a, annealing");
}

TEST(Progress, OfShortWorkIsNotTold) {
  ::testing::internal::CaptureStderr();
  {
    Progress told("work", 2);
    told.next("one");
    Progress silent("work", 2, Progress::Shown::kNo);
    silent.next("one");
  }

  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace berth::launcher
