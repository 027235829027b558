// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "set_normaliser.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "column_scaling.hpp"

namespace berth::doppler {
namespace {

TEST(SetNormaliser, ScalesEachColumnToUnitSpread) {
  const float x[] = {1.0F, 5.0F, 3.0F, 5.0F};
  float out[4];
  SetNormaliser normaliser;

  normaliser.forward(2, 2, x, out);

  // Mean 2, population std 1; a constant column becomes 0.
  EXPECT_NEAR(out[0], -1.0F, 1e-5F);
  EXPECT_NEAR(out[2], 1.0F, 1e-5F);
  EXPECT_EQ(out[1], 0.0F);
  EXPECT_EQ(out[3], 0.0F);
}

TEST(SetNormaliser, DerivativeEqualsADifferenceQuotient) {
  float x[] = {0.3F, -0.2F, 0.9F};
  const float weight[] = {1.0F, -2.0F, 0.5F};
  float out[3];
  float gradient[3] = {};
  SetNormaliser normaliser;
  normaliser.forward(3, 1, x, out);
  normaliser.backward(3, out, weight, gradient);
  const auto value = [&] {
    SetNormaliser fresh;
    float y[3];
    fresh.forward(3, 1, x, y);
    return weight[0] * y[0] + weight[1] * y[1] + weight[2] * y[2];
  };
  for (int i = 0; i < 3; ++i) {
    const float kept = x[i];
    x[i] = kept + 1e-2F;
    const float more = value();
    x[i] = kept - 1e-2F;
    const float less = value();
    x[i] = kept;
    EXPECT_NEAR(gradient[i], (more - less) / 2e-2F, 5e-3F);
  }
}

TEST(ColumnScaling, AConstantColumnOfLargeValuesBecomesZero) {
  std::vector<double> x(7, 68719476736.1);

  normalise_columns(x, 1);

  for (const double value : x) {
    EXPECT_EQ(value, 0.0);
  }
}

}  // namespace
}  // namespace berth::doppler
