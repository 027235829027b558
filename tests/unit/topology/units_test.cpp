// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/units.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

namespace berth {
namespace {

template <class Parse>
std::string refusal(Parse parse, const char* text) {
  try {
    static_cast<void>(parse(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Units, AreReadWithAndWithoutASpace) {
  EXPECT_DOUBLE_EQ(parse_seconds("7us").value, 7e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5 h").value, 5400.0);
  EXPECT_EQ(parse_bytes("80GiB").value, 80.0 * 1073741824.0);
  EXPECT_EQ(parse_bytes("2 kB").value, 2000.0);
  EXPECT_EQ(parse_bandwidth("12GB/s").value, 12e9);
  EXPECT_EQ(parse_bandwidth("12GBps").value, 12e9);
  EXPECT_EQ(parse_bandwidth("400Gbit/s").value, 50e9);
  EXPECT_DOUBLE_EQ(parse_rate("9.3TFLOPS").value, 9.3e12);
}

TEST(Units, AreNeverOptional) {
  EXPECT_EQ(refusal(parse_bandwidth, "12"), "'12' has no unit (e.g. '12GB/s')");
  EXPECT_EQ(refusal(parse_seconds, "12"), "'12' has no unit (e.g. '7us')");
  EXPECT_EQ(refusal(parse_bytes, "0"), "'0' has no unit (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_rate, "1e12"), "'1e12' has no unit (e.g. '9.3TFLOPS')");
}

TEST(Units, RefuseWhatIsNoFinitePositiveAmount) {
  EXPECT_EQ(refusal(parse_seconds, "-1s"), "'-1s' is not a finite number >= 0 (e.g. '7us')");
  EXPECT_EQ(refusal(parse_seconds, "nan s"), "'nan s' is not a finite number >= 0 (e.g. '7us')");
  EXPECT_EQ(refusal(parse_bytes, "inf B"), "'inf B' is not a finite number >= 0 (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_bytes, ""), "'' does not start with a number (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_bytes, "1Gib"), "'1Gib' has an unknown unit 'Gib' (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_bytes, "1Gbit"), "'1Gbit' has an unknown unit 'Gbit' (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_bandwidth, "1GB"), "'1GB' is not per second (e.g. '12GB/s')");
}

TEST(Units, AreShownShort) {
  EXPECT_EQ(format(Seconds{0.0012}), "1.2 ms");
  EXPECT_EQ(format(Seconds{0.0}), "0 ns");
  EXPECT_EQ(format(Bytes{1.5e9}), "1.5 GB");
  EXPECT_EQ(format(BytesPerSecond{12e9}), "12 GB/s");
  EXPECT_EQ(format(FlopsPerSecond{9.3e12}), "9.3 TFLOPS");
}

TEST(Units, DivideToTimes) {
  EXPECT_EQ((Bytes{24e9} / BytesPerSecond{12e9}).value, 2.0);
  EXPECT_EQ((Flops{10.0} / FlopsPerSecond{5.0}).value, 2.0);
}

}  // namespace
}  // namespace berth
