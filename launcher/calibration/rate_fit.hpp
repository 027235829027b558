// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "berth/topology.hpp"

namespace berth::launcher {

/// The rate of ops whose flops take no time.
inline constexpr double kUnlimitedFlops = 1e18;

/// One op as it was measured.
struct OpSample {
  double flops = 0.0;
  double bytes = 0.0;  ///< Read and written.
  double seconds = 0.0;
};

/// Fits max(flops / peak, bytes / memory bandwidth) + overhead to measured ops of one name by least
/// squares of relative errors with no negative number: for every threshold on flops / bytes,
/// samples at or above it are counted to the first term and the others to the second, and the fit
/// that meets all samples best is kept. Linear in samples, times the number of different flops /
/// bytes.
/// @pre samples is not empty, all seconds > 0.
[[nodiscard]] OpRate fit_rate(std::string name, std::span<const OpSample> samples);

/// What the cost model says of an op under a rate.
[[nodiscard]] double predicted_seconds(const OpRate& rate, double flops, double bytes) noexcept;

/// A line y = offset + slope x by least squares of relative errors, neither negative.
struct Line {
  double offset = 0.0;
  double slope = 0.0;
};
[[nodiscard]] Line fit_line(std::span<const double> x, std::span<const double> y);

/// Spearman's coefficient: Pearson's of ranks, equal values sharing their mean rank. 0 if either
/// side is constant. @pre a.size() == b.size()
[[nodiscard]] double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace berth::launcher
