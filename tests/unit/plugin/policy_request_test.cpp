// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_request.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth::launcher {
namespace {

using berth::testing::error_text;
using Settings = std::vector<std::pair<std::string, std::string>>;

std::string refusal(std::string_view text) {
  return error_text<InputError>([&] { static_cast<void>(parse_policies(text)); });
}

TEST(PolicyRequest, IsANameAlone) {
  const PolicyRequest request = parse_policy(" heft ");

  EXPECT_EQ(request.text, "heft");
  EXPECT_EQ(request.name, "heft");
  EXPECT_TRUE(request.settings.empty());
  EXPECT_TRUE(parse_policy("heft()").settings.empty());
}

TEST(PolicyRequest, CarriesSettingsInTheOrderTyped) {
  const PolicyRequest request = parse_policy("annealing(simulations=20000, restarts = 3)");

  EXPECT_EQ(request.name, "annealing");
  EXPECT_EQ(request.settings, (Settings{{"simulations", "20000"}, {"restarts", "3"}}));
}

TEST(PolicyRequest, ListsSplitAtCommasOutsideOfParentheses) {
  const auto requests = parse_policies("heft,critical-path(runs=50, ties=id),annealing");

  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].name, "heft");
  EXPECT_EQ(requests[1].text, "critical-path(runs=50, ties=id)");
  EXPECT_EQ(requests[1].settings, (Settings{{"runs", "50"}, {"ties", "id"}}));
  EXPECT_EQ(requests[2].name, "annealing");
}

TEST(PolicyRequest, RefusalsCallAnExecutorSo) {
  const auto refusal_of = [](std::string_view text) {
    return error_text<InputError>([&] { static_cast<void>(parse_policy(text, kExecutorWords)); });
  };
  const std::string hint = "; expected for example cpu or cpu(cores_per_device=1)";

  EXPECT_EQ(refusal_of(""), "executor '': has no name" + hint);
  EXPECT_EQ(refusal_of("cuda("),
            "executor 'cuda(': the parenthesis is not closed at the end" + hint);
  EXPECT_EQ(refusal_of("cpu)"), "executor 'cpu)': 'cpu)' is no name of an executor" + hint);
}

TEST(PolicyRequest, RefusalsShowTheText) {
  const std::string hint = "; expected for example heft or annealing(simulations=20000,restarts=3)";

  EXPECT_EQ(refusal(""), "policy '': has no name" + hint);
  EXPECT_EQ(refusal("heft,,peft"), "policy '': has no name" + hint);
  EXPECT_EQ(refusal("(a=1)"), "policy '(a=1)': has no name" + hint);
  EXPECT_EQ(refusal("heft(a=1"),
            "policy 'heft(a=1': the parenthesis is not closed at the end" + hint);
  EXPECT_EQ(refusal("heft(a=1)x"),
            "policy 'heft(a=1)x': the parenthesis is not closed at the end" + hint);
  EXPECT_EQ(refusal("heft)"), "policy 'heft)': 'heft)' is no name of a policy" + hint);
  EXPECT_EQ(refusal("heft(a)"), "policy 'heft(a)': 'a' is not option=value" + hint);
  EXPECT_EQ(refusal("heft(=1)"), "policy 'heft(=1)': '=1' is not option=value" + hint);
  EXPECT_EQ(refusal("heft(a=1,b=2,a=3)"), "policy 'heft(a=1,b=2,a=3)': 'a' is given twice" + hint);
  EXPECT_EQ(refusal("heft(a=1,)"), "policy 'heft(a=1,)': '' is not option=value" + hint);
}

}  // namespace
}  // namespace berth::launcher
