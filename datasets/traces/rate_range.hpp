// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace berth::datasets {

/// Steps/s that a job may have: 0, where it cannot run, or from 1e-9 to 1e9. Further apart, the
/// coefficients of one linear program leave what double precision can pivot on.
inline constexpr double kLeastRate = 1e-9;
inline constexpr double kMostRate = 1e9;
inline constexpr const char* kRateWords = "0 or a number from 1e-9 to 1e9 (steps/s)";

[[nodiscard]] constexpr bool is_rate(double steps_per_second) noexcept {
  return steps_per_second == 0.0 ||
         (steps_per_second >= kLeastRate && steps_per_second <= kMostRate);
}

}  // namespace berth::datasets
