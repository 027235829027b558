// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "rate_estimate.hpp"

#include <cmath>

namespace berth::launcher {
namespace {

constexpr std::size_t kRateTerms = RateEstimate::kTerms;
using Terms = std::array<double, kRateTerms>;

// A job in the middle of the field: terms count from here, so that what is learned of one job says
// the less about another the more they differ.
constexpr double kBatch = 32.0;
constexpr double kFlops = 1e5;
constexpr double kRateSamples = 1e3;

// T = 0.1e9 PMI / (B M): steps/s at a tenth of the node's GFLOP/s.
const Terms kStart = {std::log(0.1e9 / (kBatch * kFlops)), 1.0, -1.0, 0.0, 1.0, 0.0};
// Of the pull to the start, in units of one sample's error. The constant is free to move: what
// share of its speed a node reaches is the least known.
constexpr Terms kPull = {0.01, 1.0, 1.0, 1.0, 1.0, 1.0};

Terms terms_of(const MixNode& node, const TrainingSize& size) {
  return {1.0,
          0.5 * std::log(node.gflops * node.gbps),
          std::log(static_cast<double>(size.batch) / kBatch),
          std::log(node.pcie_gbps),
          -std::log(size.flops_per_sample / kFlops),
          -std::log(static_cast<double>(size.train_samples) / kRateSamples)};
}

double product(const Terms& a, const Terms& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kRateTerms; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// Gaussian elimination; `a` is positive definite.
Terms solve(std::array<Terms, kRateTerms> a, Terms right) {
  for (std::size_t i = 0; i < kRateTerms; ++i) {
    for (std::size_t row = i + 1; row < kRateTerms; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (std::size_t k = i; k < kRateTerms; ++k) {
        a[row][k] -= factor * a[i][k];
      }
      right[row] -= factor * right[i];
    }
  }
  for (std::size_t i = kRateTerms; i-- > 0;) {
    for (std::size_t k = i + 1; k < kRateTerms; ++k) {
      right[i] -= a[i][k] * right[k];
    }
    right[i] /= a[i][i];
  }
  return right;
}

}  // namespace

RateEstimate::RateEstimate() : b_(kStart) {}

double RateEstimate::operator()(const MixNode& node, const TrainingSize& size) const {
  return std::exp(product(b_, terms_of(node, size)));
}

void RateEstimate::fit(std::span<const RateSample> samples) {
  // min sum (x.d - residual)^2 + sum pull_i d_i^2 over d = b - start.
  std::array<Terms, kRateTerms> a{};
  Terms right{};
  for (std::size_t i = 0; i < kRateTerms; ++i) {
    a[i][i] = kPull[i];
  }
  for (const RateSample& sample : samples) {
    const Terms x = terms_of(*sample.node, sample.size);
    const double residual = std::log(sample.steps_per_second) - product(kStart, x);
    for (std::size_t i = 0; i < kRateTerms; ++i) {
      right[i] += x[i] * residual;
      for (std::size_t k = 0; k < kRateTerms; ++k) {
        a[i][k] += x[i] * x[k];
      }
    }
  }
  b_ = solve(a, right);
  for (std::size_t i = 0; i < kRateTerms; ++i) {
    b_[i] += kStart[i];
  }
}

}  // namespace berth::launcher
