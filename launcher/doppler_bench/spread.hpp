// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <span>
#include <string>

#include "table.hpp"

namespace berth::launcher {

/// Mean and sample standard deviation of the results of several seeds.
struct Spread {
  double mean = 0.0;
  double deviation = 0.0;  ///< 0 for one value
  std::size_t count = 0;
};

[[nodiscard]] inline Spread spread_of(std::span<const double> values) {
  Spread spread;
  spread.count = values.size();
  for (const double value : values) {
    spread.mean += value / static_cast<double>(values.size());
  }
  double square = 0.0;
  for (const double value : values) {
    square += (value - spread.mean) * (value - spread.mean);
  }
  spread.deviation =
      values.size() < 2 ? 0.0 : std::sqrt(square / static_cast<double>(values.size() - 1));
  return spread;
}

/// "mean ±standard deviation over 3 seeds"; one seed has no deviation.
[[nodiscard]] inline std::string seeds_text(std::size_t seeds) {
  return seeds == 1 ? "one seed"
                    : "mean ±standard deviation over " + std::to_string(seeds) + " seeds";
}

/// "123.4" for one value or equal ones, else "123.4 ±0.56"; "-" for none.
[[nodiscard]] inline std::string spread_text(const Spread& spread) {
  if (spread.count == 0) {
    return "-";
  }
  std::string text = significant(spread.mean);
  if (spread.deviation > 1e-9 * std::abs(spread.mean)) {
    text += " ±" + significant(spread.deviation, 2);
  }
  return text;
}

}  // namespace berth::launcher
