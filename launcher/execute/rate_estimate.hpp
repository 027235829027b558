// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "berth/training_job.hpp"

#include "mix.hpp"

namespace berth::launcher {

/// One measured rate of a job on a node.
struct RateSample {
  const MixNode* node = nullptr;
  TrainingSize size;
  double steps_per_second = 0.0;  ///< > 0
};

/// Steps/s of a job on a node before it was measured (HadarE, arXiv 2503.10918, names the factors;
/// the log-linear form and its start are ours):
///
///     ln T = b0 + b1 ln PMI + b2 ln B + b3 ln pcie - b4 ln M - b5 ln D
///
/// PMI = sqrt(GFLOP/s * GB/s), B samples of a step, M flops of a sample, D training samples. It
/// starts as T = 0.1 * PMI / (B * M), a tenth of the speed stated, and is refitted to what was
/// measured by least squares with a pull to that start. One number a node cannot rank all models:
/// on Gavel's table the typical error of such a ratio is a factor of 1.6.
class RateEstimate {
 public:
  static constexpr std::size_t kTerms = 6;

  RateEstimate();
  [[nodiscard]] double operator()(const MixNode& node, const TrainingSize& size) const;

  /// Replaces the coefficients by the fit of all `samples`; no samples: the start.
  void fit(std::span<const RateSample> samples);
  [[nodiscard]] const std::array<double, kTerms>& coefficients() const { return b_; }

 private:
  std::array<double, kTerms> b_;
};

}  // namespace berth::launcher
