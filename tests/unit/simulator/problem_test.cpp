// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"
#include "small_problems.hpp"

namespace berth {
namespace {

std::string refusal(const Graph& graph) {
  return testing::error_text<InputError>(
      [&graph] { static_cast<void>(uniform_problem(graph, 2, {})); });
}

TEST(MakeProblem, RefusesTimesWhoseSumOverflows) {
  const std::string expected =
      "graph 'small' on topology 'uniform:2': its times add up to more than 1e300; expected "
      "smaller times";

  EXPECT_EQ(refusal(small_graph({1e308, 1e308}, {})), expected);
  EXPECT_EQ(refusal(small_graph({1, 1}, {{0, 1, 1e308}})), expected);
  EXPECT_EQ(refusal(small_graph({6e299, 6e299}, {})), expected);
}

TEST(MakeProblem, RefusesTimesThatSomeProcessorSettingsTakeForZero) {
  const std::string expected =
      "graph 'small': a time or size lies between 0 and 1e-300; expected 0 or more than that";

  EXPECT_EQ(refusal(small_graph({1e-320, 1}, {})), expected);
  EXPECT_EQ(refusal(small_graph({1, 1}, {{0, 1, 1e-310}})), expected);
}

TEST(MakeProblem, TakesLargeTimesWhoseSumIsFinite) {
  // The two ops run side by side.
  EXPECT_EQ(uniform_problem(small_graph({4e299, 4e299}, {}), 2, {})->lower_bound, 4e299);
}

}  // namespace
}  // namespace berth
