// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/rng.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Rng, MixesAsSplitMix64) {
  // First output of SplitMix64 from state 0, as published with its reference implementation.
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);
}

TEST(Rng, GivesTheKnownStream) {
  // From a separate implementation, which gives the published xoshiro256++ outputs 41943041,
  // 58720359, 3588806011781223, 3591011842654386 from the state {1, 2, 3, 4}.
  Rng plain(1);
  EXPECT_EQ(plain.next(), 0x6ff8271d7602c812ULL);
  EXPECT_EQ(plain.next(), 0x9f1c18e7d02cb56aULL);
  EXPECT_EQ(plain.next(), 0x3cab9721eb84faa7ULL);

  Rng named(1, {2, 3});
  EXPECT_EQ(named.next(), 0x935ebd6d2b0a1a0cULL);
  EXPECT_EQ(named.next(), 0x45b015767a815cc7ULL);
  EXPECT_EQ(named.next(), 0x85e4405ae2bf12f3ULL);
}

TEST(Rng, StreamsOfOtherNamesDiffer) {
  std::vector<std::uint64_t> first;
  for (std::uint64_t update = 0; update < 10; ++update) {
    for (std::uint64_t id = 0; id < 10; ++id) {
      first.push_back(Rng(7, {update, id}).next());
    }
  }
  first.push_back(Rng(7).next());
  first.push_back(Rng(8).next());

  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
}

TEST(Rng, UniformStaysBelowOneAndHasItsMean) {
  Rng rng(1);
  double sum = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double value = rng.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  // Mean 1/2 with a standard error of sqrt(1/12) / sqrt(1e5) = 0.0009.
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
}

TEST(Rng, BelowIsUnbiased) {
  // Taking the top bits alone, 3 * 2^62 outcomes would fall twice as often into a quarter of the
  // range; the expected count of each third is 10000 with a standard deviation of 82.
  constexpr std::uint64_t kBound = 3ULL << 62U;
  Rng rng(1);
  std::array<int, 3> count{};
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t value = rng.below(kBound);
    ASSERT_LT(value, kBound);
    ++count[value >> 62U];
  }
  for (const int hits : count) {
    EXPECT_NEAR(hits, 10000, 410);
  }
}

TEST(Rng, BelowReachesEveryValueOfASmallRange) {
  Rng rng(1);
  std::array<int, 5> count{};
  for (int i = 0; i < 5000; ++i) {
    ++count[rng.below(5)];
  }
  // 1000 expected, standard deviation 28.
  for (const int hits : count) {
    EXPECT_NEAR(hits, 1000, 140);
  }
  EXPECT_EQ(rng.below(1), 0U);
}

}  // namespace
}  // namespace berth
