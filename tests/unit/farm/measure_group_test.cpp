// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/measure_group.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth::launcher {
namespace {

TEST(MeasureGroup, TheLastRanksMeasureEachForItself) {
  EXPECT_EQ(measure_place(0, 1, 1, 1).group, 0U);
  EXPECT_EQ(measure_place(0, 2, 1, 1).group, 1U);  // none of the one
  EXPECT_TRUE(measure_place(0, 2, 1, 1).ranks.empty());
  EXPECT_EQ(measure_place(1, 2, 1, 1).group, 0U);
  EXPECT_EQ(measure_place(2, 4, 2, 1).group, 0U);
  EXPECT_EQ(measure_place(3, 4, 2, 1).group, 1U);
  EXPECT_EQ(measure_place(1, 2, 9, 1).group, 1U);
  EXPECT_EQ(measure_place(1, 2, 9, 1).groups, 2U);
}

TEST(MeasureGroup, TheLastRanksMeasureInGroups) {
  // Six ranks, of which the last four measure in twos.
  EXPECT_TRUE(measure_place(1, 6, 4, 2).ranks.empty());
  for (const int rank : {2, 3}) {
    EXPECT_EQ(measure_place(rank, 6, 4, 2).group, 0U);
    EXPECT_EQ(measure_place(rank, 6, 4, 2).ranks, (std::vector<int>{2, 3}));
  }
  EXPECT_EQ(measure_place(5, 6, 4, 2).group, 1U);
  EXPECT_EQ(measure_place(5, 6, 4, 2).groups, 2U);
  EXPECT_EQ(measure_place(5, 6, 4, 2).ranks, (std::vector<int>{4, 5}));
}

TEST(MeasureGroup, GroupsMustComeOutEven) {
  EXPECT_EQ(
      berth::testing::error_text<InputError>([] { static_cast<void>(measure_place(0, 4, 3, 2)); }),
      "executor_group is 2, and 3 of 4 ranks measure; expected executor_ranks, and ranks for "
      "them, a multiple of it");
}

}  // namespace
}  // namespace berth::launcher
