// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/units.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth {
namespace {

using testing::error_text;

template <class Parse>
std::string refusal(Parse parse, std::string_view text) {
  return error_text<InputError>([&] { static_cast<void>(parse(text)); });
}

TEST(Units, ReadsTimes) {
  EXPECT_DOUBLE_EQ(parse_seconds("7us").value, 7e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5 ms").value, 1.5e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("2min").value, 120.0);
  EXPECT_DOUBLE_EQ(parse_seconds("0s").value, 0.0);
}

TEST(Units, TellsPowersOf1000From1024) {
  EXPECT_DOUBLE_EQ(parse_bytes("80GB").value, 80e9);
  EXPECT_DOUBLE_EQ(parse_bytes("80GiB").value, 85899345920.0);
}

TEST(Units, ReadsBandwidthsInBytesAndBits) {
  EXPECT_DOUBLE_EQ(parse_bandwidth("12GB/s").value, 12e9);
  EXPECT_DOUBLE_EQ(parse_bandwidth("12GBps").value, 12e9);
  EXPECT_DOUBLE_EQ(parse_bandwidth("400Gbit/s").value, 50e9);
}

TEST(Units, ReadsRates) {
  EXPECT_DOUBLE_EQ(parse_rate("9.3TFLOPS").value, 9.3e12);
}

TEST(Units, RefusesANumberWithoutAUnit) {
  EXPECT_EQ(refusal(parse_bandwidth, "12"), "'12' has no unit (e.g. '12GB/s')");
}

TEST(Units, RefusesAnotherDimension) {
  EXPECT_EQ(refusal(parse_seconds, "7GB"), "'7GB' has an unknown unit 'GB' (e.g. '7us')");
  EXPECT_EQ(refusal(parse_bandwidth, "7GB"), "'7GB' is not per second (e.g. '12GB/s')");
  EXPECT_EQ(refusal(parse_bytes, "7Gbit"), "'7Gbit' has an unknown unit 'Gbit' (e.g. '80GiB')");
}

TEST(Units, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(refusal(parse_seconds, "-1s"), "'-1s' is not a finite number >= 0 (e.g. '7us')");
  EXPECT_EQ(refusal(parse_seconds, "nan s"), "'nan s' is not a finite number >= 0 (e.g. '7us')");
  EXPECT_EQ(refusal(parse_seconds, "inf s"), "'inf s' is not a finite number >= 0 (e.g. '7us')");
  EXPECT_EQ(refusal(parse_bytes, "1e300TB1"),
            "'1e300TB1' has an unknown unit 'TB1' (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_bytes, "1e300TB"),
            "'1e300TB' is not a finite number >= 0 (e.g. '80GiB')");
  EXPECT_EQ(refusal(parse_seconds, ""), "'' does not start with a number (e.g. '7us')");
  EXPECT_EQ(refusal(parse_seconds, "us"), "'us' does not start with a number (e.g. '7us')");
}

TEST(Units, OperatorsKeepDimensions) {
  const Seconds transfer = Bytes{6e9} / BytesPerSecond{12e9};
  const Seconds compute = Flops{1e12} / FlopsPerSecond{4e12};

  EXPECT_EQ(transfer + compute, Seconds{0.75});
  EXPECT_EQ(2.0 * transfer, Seconds{1.0});
  EXPECT_DOUBLE_EQ(transfer / compute, 2.0);
}

TEST(Units, FormatsForPeople) {
  EXPECT_EQ(format(Seconds{1.2e-3}), "1.2 ms");
  EXPECT_EQ(format(Seconds{0.0}), "0 ns");
  EXPECT_EQ(format(Bytes{80e9}), "80 GB");
  EXPECT_EQ(format(BytesPerSecond{12e9}), "12 GB/s");
  EXPECT_EQ(format(FlopsPerSecond{9.3e12}), "9.3 TFLOPS");
}

}  // namespace
}  // namespace berth
