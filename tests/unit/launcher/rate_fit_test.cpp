// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rate_fit.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(RateFit, FindsTheRatesThatMadeTheTimes) {
  // 1e10 flops/s, 1e9 bytes/s and 2 us: six ops that compute, six that move bytes.
  OpRate truth;
  truth.peak = FlopsPerSecond{1e10};
  truth.memory_bandwidth = BytesPerSecond{1e9};
  truth.launch_overhead = Seconds{2e-6};
  std::vector<OpSample> samples;
  for (int i = 1; i <= 6; ++i) {
    for (const auto& [flops, bytes] : {std::pair{1e6 * i, 1e3}, std::pair{1e3, 1e5 * i}}) {
      samples.push_back({flops, bytes, predicted_seconds(truth, flops, bytes)});
    }
  }
  const OpRate rate = fit_rate("op", samples);
  EXPECT_EQ(rate.name, "op");
  EXPECT_NEAR(rate.peak.value / 1e10, 1.0, 1e-6);
  EXPECT_NEAR(rate.memory_bandwidth.value / 1e9, 1.0, 1e-6);
  EXPECT_NEAR(rate.launch_overhead.value / 2e-6, 1.0, 1e-6);
}

TEST(RateFit, OneShapeAloneIsMetExactly) {
  const std::vector<OpSample> samples = {{1e6, 4e6, 3e-4}, {1e6, 4e6, 3e-4}};
  EXPECT_NEAR(predicted_seconds(fit_rate("op", samples), 1e6, 4e6), 3e-4, 1e-12);
}

TEST(RateFit, AnOpWithoutFlopsAndBytesIsAllOverhead) {
  const std::vector<OpSample> samples = {{0, 0, 1e-6}, {0, 0, 1e-6}};
  EXPECT_NEAR(predicted_seconds(fit_rate("op", samples), 0, 0), 1e-6, 1e-15);
}

TEST(RateFit, ALineThroughTransfers) {
  const std::vector<double> bytes = {0.0, 1e6, 2e6};
  const std::vector<double> seconds = {1e-5, 1.01e-3, 2.01e-3};
  const Line line = fit_line(bytes, seconds);
  EXPECT_NEAR(line.offset, 1e-5, 1e-10);
  EXPECT_NEAR(line.slope, 1e-9, 1e-14);
}

TEST(RankCorrelation, IsOneForEqualOrderAndMinusOneForTheReverse) {
  const std::vector<double> a = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(rank_correlation(a, std::vector<double>{10, 20, 30, 1000}), 1.0);
  EXPECT_DOUBLE_EQ(rank_correlation(a, std::vector<double>{4, 3, 2, 1}), -1.0);
  EXPECT_DOUBLE_EQ(rank_correlation(a, std::vector<double>{5, 5, 5, 5}), 0.0);
  // Ranks 0 1 2 3 and 1 0 2 3: 1 - 6 * 2 / (4 * 15) = 0.8.
  EXPECT_DOUBLE_EQ(rank_correlation(a, std::vector<double>{2, 1, 3, 4}), 0.8);
  // A tie shares its mean rank: 0.5 0.5 2 3 against 0 1 2 3 is 4.5 / sqrt(4.5 * 5).
  EXPECT_NEAR(rank_correlation(a, std::vector<double>{1, 1, 3, 4}), 0.9486832980505138, 1e-15);
}

}  // namespace
}  // namespace berth::launcher
