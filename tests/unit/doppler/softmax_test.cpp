// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "softmax.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace berth::doppler {
namespace {

TEST(Softmax, SharesProbabilityAmongLegalActions) {
  const std::vector<float> logits = {0.0F, 100.0F, std::log(3.0F)};
  const std::vector<std::uint8_t> legal = {1, 0, 1};
  std::vector<float> p(3);

  const double log_sum = softmax(logits, legal, 1.0, p);

  EXPECT_NEAR(p[0], 0.25F, 1e-6F);
  EXPECT_EQ(p[1], 0.0F);
  EXPECT_NEAR(p[2], 0.75F, 1e-6F);
  EXPECT_NEAR(log_sum, std::log(4.0), 1e-6);
}

TEST(Softmax, ArgMaxTakesTheFirstOfEquals) {
  const std::vector<float> logits = {1.0F, 2.0F, 2.0F};
  EXPECT_EQ(arg_max(logits, {}), 1U);
}

TEST(Softmax, SamplingCoversTheUnitInterval) {
  const std::vector<float> p = {0.25F, 0.0F, 0.75F};
  EXPECT_EQ(sample(p, 0.0), 0U);
  EXPECT_EQ(sample(p, 0.249), 0U);
  EXPECT_EQ(sample(p, 0.251), 2U);
  EXPECT_EQ(sample(p, 0.9999999999), 2U);
}

TEST(Softmax, LossGradientEqualsADifferenceQuotient) {
  std::vector<float> logits = {0.5F, -0.3F, 0.1F};
  const std::vector<float> target = {0.7F, 0.0F, -0.2F};
  const float entropy_weight = 0.3F;
  const auto loss = [&] {
    std::vector<float> p(3);
    softmax(logits, {}, 1.0, p);
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      sum += std::log(static_cast<double>(p[i])) *
             static_cast<double>(entropy_weight * p[i] - target[i]);
    }
    return sum;
  };
  std::vector<float> p(3);
  std::vector<float> gradient(3, 0.0F);
  softmax(logits, {}, 1.0, p);
  add_loss_gradient(p, target, entropy_weight, gradient);
  for (std::size_t i = 0; i < 3; ++i) {
    const float kept = logits[i];
    logits[i] = kept + 1e-2F;
    const double more = loss();
    logits[i] = kept - 1e-2F;
    const double less = loss();
    logits[i] = kept;
    EXPECT_NEAR(gradient[i], (more - less) / 2e-2, 1e-3);
  }
}

}  // namespace
}  // namespace berth::doppler
