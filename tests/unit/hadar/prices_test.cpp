// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "prices.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace berth::hadar {
namespace {

TEST(PriceCurve, RisesFromUminToUmax) {
  const PriceCurve curve(0.5, 8.0, 4);

  // 0.5 * 16^(g/4) = 0.5, 1, 2, 4, 8.
  for (std::uint32_t g = 0; g <= 4; ++g) {
    EXPECT_NEAR(curve.at(g), 0.5 * std::pow(2.0, g), 1e-12);
  }
  EXPECT_EQ(curve.at(0), 0.5);
  EXPECT_EQ(curve.at(4), 8.0);
}

TEST(PriceCurve, ChargesUnitByUnit) {
  const PriceCurve curve(0.5, 8.0, 4);

  EXPECT_NEAR(curve.charge(1, 3), 1 + 2 + 4, 1e-12);
  EXPECT_EQ(curve.charge(2, 0), 0.0);
}

// What the competitive proof needs: c (k(g+1) - k(g)) <= alpha_c k(g) for every unit,
// with equality for this curve; and alpha_c >= ln(Umax / Umin).
TEST(PriceCurve, GrowsTheDualByAtMostAlphaTimesTheCharge) {
  for (const std::uint32_t c : {1U, 2U, 4U, 8U, 60U}) {
    const PriceCurve curve(1e-4, 3.0, c);
    for (std::uint32_t g = 0; g < c; ++g) {
      EXPECT_LE(c * (curve.at(g + 1) - curve.at(g)), curve.alpha_c() * curve.at(g) * (1 + 1e-9));
    }
    EXPECT_GE(curve.alpha_c(), curve.alpha());
    EXPECT_NEAR(curve.alpha(), std::log(3e4), 1e-12);
  }
}

// Filled in ever smaller units the growth tends to alpha times the charge.
TEST(PriceCurve, ContinuousFillsObeyAlpha) {
  const PriceCurve curve(1e-4, 3.0, 100000);

  const double growth = 100000.0 * (curve.at(100000) - curve.at(0));
  EXPECT_NEAR(growth / curve.charge(0, 100000), curve.alpha(), 1e-3);
}

TEST(PriceCurve, NeverClaimsAnAlphaBelowOne) {
  EXPECT_EQ(PriceCurve(1.0, 1.5, 4).alpha(), 1.0);
}

}  // namespace
}  // namespace berth::hadar
