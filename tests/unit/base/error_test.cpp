// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/error.hpp"

#include <gtest/gtest.h>

namespace berth {
namespace {

template <class Category>
std::string with_context(const Category& error) {
  try {
    rethrow_with_context(error, "reading graph.json");
  } catch (const Category& again) {
    EXPECT_EQ(again.code(), error.code());
    return again.what();
  } catch (const Error& other) {
    ADD_FAILURE() << "another category: " << other.what();
  }
  return {};
}

TEST(Error, EachCategoryHasItsExitCode) {
  EXPECT_EQ(static_cast<int>(RunError("").code()), 1);
  EXPECT_EQ(static_cast<int>(InputError("").code()), 2);
  EXPECT_EQ(static_cast<int>(CheckpointError("").code()), 2);
  EXPECT_EQ(static_cast<int>(PluginError("").code()), 3);
  EXPECT_EQ(static_cast<int>(SolverError("").code()), 4);
  EXPECT_EQ(static_cast<int>(InternalError("").code()), 70);
}

TEST(Error, ContextGoesInFrontAndKeepsTheCategory) {
  const std::string expected = "reading graph.json: cycle";

  EXPECT_EQ(with_context(RunError("cycle")), expected);
  EXPECT_EQ(with_context(InputError("cycle")), expected);
  EXPECT_EQ(with_context(CheckpointError("cycle")), expected);
  EXPECT_EQ(with_context(PluginError("cycle")), expected);
  EXPECT_EQ(with_context(SolverError("cycle")), expected);
  EXPECT_EQ(with_context(InternalError("cycle")), expected);
}

TEST(Check, PassesSilently) {
  EXPECT_NO_THROW(BERTH_CHECK(1 + 1 == 2, "sums"));
}

TEST(Check, NamesThePlaceTheConditionAndTheBug) {
  try {
    BERTH_CHECK(1 + 1 == 3, "sums");
    ADD_FAILURE() << "passed";
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("error_test.cpp:"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(": sums; expected: 1 + 1 == 3; this is a bug in berth")) << text;
  }
}

}  // namespace
}  // namespace berth
