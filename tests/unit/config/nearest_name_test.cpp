// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/config.hpp"

namespace berth {
namespace {

const std::vector<std::string> kNames = {"heft", "peft", "annealing", "critical-path"};

TEST(NearestName, FindsASlipOfOneLetter) {
  EXPECT_EQ(nearest_name("heftt", kNames), "heft");
  EXPECT_EQ(nearest_name("hft", kNames), "heft");
}

TEST(NearestName, AllowsMoreSlipsInLongerWords) {
  // 13 letters: 13 / 3 = 4 edits at most.
  EXPECT_EQ(nearest_name("critcal_pth", kNames), "critical-path");
}

TEST(NearestName, TakesTheFirstOfEquallyNearNames) {
  EXPECT_EQ(nearest_name("eft", kNames), "heft");
}

TEST(NearestName, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("doppler", kNames), "");
  EXPECT_EQ(nearest_name("heft", {}), "");
}

TEST(NearestName, TakesAnEmptyWord) {
  EXPECT_EQ(nearest_name("", kNames), "");
}

}  // namespace
}  // namespace berth
