// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace berth::launcher {

/// First quartile, median and third quartile, between neighbours by linear interpolation; zeros of
/// nothing.
struct Quartiles {
  double first = 0.0;
  double median = 0.0;
  double third = 0.0;
};
[[nodiscard]] Quartiles quartiles_of(std::vector<double> values);

/// The second of them.
[[nodiscard]] double median_of(std::vector<double> values);

}  // namespace berth::launcher
