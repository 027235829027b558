// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/config.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth {
namespace {

using testing::error_text;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr berth_option_spec kSpecs[] = {
    {"runs", BERTH_OPTION_INTEGER, "50", 1, 1000, "", "", "Number of runs."},
    {"temperature", BERTH_OPTION_REAL, "0.5", 0, 10, "K", "", "First temperature."},
    {"rate", BERTH_OPTION_REAL, "0.1", -kInfinity, kInfinity, "", "", "Any finite rate."},
    {"insertion", BERTH_OPTION_FLAG, "true", 0, 0, "", "", "Fill gaps."},
    {"order", BERTH_OPTION_CHOICE, "id", 0, 0, "", "id,kahn", "Order of the ops."},
    {"label", BERTH_OPTION_TEXT, "", 0, 0, "", "", "Any text."}};

std::string refusal(std::string_view name, std::string_view text) {
  Config config(kSpecs, "annealing");
  const auto before = config.values();
  std::string message = error_text<InputError>([&] { config.set(name, text); });
  EXPECT_EQ(config.values(), before) << "a refused value must leave no trace";
  return message;
}

TEST(Config, StartsAtItsDefaults) {
  const Config config(kSpecs, "annealing");

  EXPECT_EQ(config.integer("runs"), 50);
  EXPECT_DOUBLE_EQ(config.real("temperature"), 0.5);
  EXPECT_TRUE(config.flag("insertion"));
  EXPECT_EQ(config.text("order"), "id");
  EXPECT_EQ(config.text("label"), "");
}

TEST(Config, TakesBackItsOwnValues) {
  Config config(kSpecs);
  config.set("runs", "7");
  config.set("order", "kahn");
  config.set("temperature", "1e-3");
  Config copy(kSpecs);

  for (const auto& [name, text] : config.values()) {
    copy.set(name, text);
  }

  EXPECT_EQ(copy.values(), config.values());
  EXPECT_DOUBLE_EQ(copy.real("temperature"), 0.001);
}

TEST(Config, TakesBothEndsOfARange) {
  Config config(kSpecs);

  config.set("runs", "1");
  EXPECT_EQ(config.integer("runs"), 1);
  config.set("runs", "1000");
  EXPECT_EQ(config.integer("runs"), 1000);
}

TEST(Config, RefusesAnIntegerOutOfRangeNamingTheRange) {
  const std::string expected = "'; expected an integer from 1 to 1000";

  for (const char* text : {"0", "1001", "-1", "18446744073709551617", "-9223372036854775809"}) {
    EXPECT_EQ(refusal("runs", text), "annealing: runs: '" + std::string(text) + expected);
  }
}

TEST(Config, RefusesWhatIsNoInteger) {
  for (const char* text : {"", "7.5", "1e2", "7 ", " 7", "+7", "seven", "0x10"}) {
    EXPECT_NE(refusal("runs", text).find("expected an integer"), std::string::npos) << text;
  }
}

TEST(Config, RefusesAnyRealThatIsNotFiniteAndInRange) {
  EXPECT_EQ(refusal("temperature", "10.1"),
            "annealing: temperature: '10.1'; expected a number from 0 to 10 K");
  for (const char* text : {"nan", "-nan", "inf", "-inf", "1e999", "", "1,5", "2 K"}) {
    EXPECT_NE(refusal("rate", text).find("expected a number"), std::string::npos) << text;
  }
}

TEST(Config, RefusesAFlagThatIsNeitherTrueNorFalse) {
  EXPECT_EQ(refusal("insertion", "yes"), "annealing: insertion: 'yes'; expected true or false");
}

TEST(Config, RefusesAChoiceThatIsNotListed) {
  const std::string expected = "'; expected one of id,kahn";

  for (const char* text : {"kah", "id,kahn", "", ","}) {
    EXPECT_EQ(refusal("order", text), "annealing: order: '" + std::string(text) + expected);
  }
}

TEST(Config, NamesTheNearestOptionOfAnUnknownOne) {
  EXPECT_EQ(refusal("temprature", "1"),
            "annealing: unknown option 'temprature'; did you mean 'temperature'?");
}

TEST(Config, ListsItsOptionsWhereNoneIsNear) {
  EXPECT_EQ(refusal("zzzzzz", "1"),
            "annealing: unknown option 'zzzzzz'; expected one of runs temperature rate insertion "
            "order label");
}

TEST(Config, SaysThatItHasNoOptions) {
  Config config({}, "heft");

  EXPECT_EQ(error_text<InputError>([&] { config.set("runs", "1"); }),
            "heft: unknown option 'runs'; it has no options");
}

TEST(Config, TreatsAnUndeclaredReadAsABug) {
  const Config config(kSpecs);

  EXPECT_FALSE(config.has("speed"));
  EXPECT_THROW(static_cast<void>(config.real("speed")), InternalError);
}

}  // namespace
}  // namespace berth
