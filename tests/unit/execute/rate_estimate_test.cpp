// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute/rate_estimate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

namespace berth::launcher {
namespace {

MixNode node_of(double gflops, double gbps, double pcie) {
  MixNode node;
  node.gflops = gflops;
  node.gbps = gbps;
  node.pcie_gbps = pcie;
  return node;
}

TEST(RateEstimate, StartsFromATenthOfTheSpeedStated) {
  const RateEstimate estimate;

  // 0.1 x 4e9 flop/s over 32 samples of 1e5 flops: 125 steps/s; PMI = sqrt(8 x 2) = 4.
  EXPECT_NEAR(estimate(node_of(8.0, 2.0, 1.0), {1e5, 1e4, 32, 1000}), 125.0, 1e-9);
}

TEST(RateEstimate, WithoutSamplesAFitIsTheStart) {
  RateEstimate estimate;
  estimate.fit({});

  EXPECT_NEAR(estimate(node_of(4.0, 4.0, 1.0), {1e5, 1e4, 32, 1000}), 125.0, 1e-9);
}

TEST(RateEstimate, OneSampleMovesAllNodesOfItsJob) {
  RateEstimate estimate;
  const MixNode node = node_of(1.0, 1.0, 1.0);
  const TrainingSize size{1e5, 1e4, 32, 1000};
  const double before = estimate(node, size);
  const RateSample sample{&node, size, 3.0 * before};

  estimate.fit(std::span(&sample, 1));

  EXPECT_NEAR(estimate(node, size) / before, 3.0, 0.05);
  EXPECT_NEAR(estimate(node_of(4.0, 4.0, 1.0), size) / estimate(node, size), 4.0, 0.4);
}

TEST(RateEstimate, FindsALogLinearLawFromItsSamples) {
  // T = 7 PMI^0.7 B^-0.5 pcie^0.3 M^-0.4 D^-0.1, far from the start, on many nodes and jobs.
  const auto law = [](const MixNode& node, const TrainingSize& size) {
    return 7.0 * std::pow(std::sqrt(node.gflops * node.gbps), 0.7) *
           std::pow(static_cast<double>(size.batch), -0.5) * std::pow(node.pcie_gbps, 0.3) *
           std::pow(size.flops_per_sample, -0.4) *
           std::pow(static_cast<double>(size.train_samples), -0.1);
  };
  Rng rng(5);
  const auto draw = [&rng](double least, double most) {
    return least * std::pow(most / least, rng.uniform());
  };
  std::vector<MixNode> nodes;
  std::vector<RateSample> samples;
  for (int i = 0; i < 400; ++i) {
    nodes.push_back(node_of(draw(1, 1e4), draw(1, 1e3), draw(1, 64)));
  }
  for (int i = 0; i < 400; ++i) {
    const TrainingSize size{draw(1e3, 1e9), 1e4, 1 + rng.below(512), 100 + rng.below(1000000)};
    samples.push_back({&nodes[static_cast<std::size_t>(i)], size, 0.0});
    samples.back().steps_per_second = law(nodes[static_cast<std::size_t>(i)], size);
  }

  RateEstimate estimate;
  estimate.fit(samples);

  const MixNode fresh = node_of(100.0, 50.0, 16.0);
  const TrainingSize size{1e6, 1e4, 64, 50000};
  EXPECT_NEAR(estimate(fresh, size) / law(fresh, size), 1.0, 0.1);
}

}  // namespace
}  // namespace berth::launcher
