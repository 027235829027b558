// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "quartiles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace berth::launcher {

Quartiles quartiles_of(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::ranges::sort(values);
  const auto at = [&values](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - std::floor(place));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

double median_of(std::vector<double> values) {
  return quartiles_of(std::move(values)).median;
}

}  // namespace berth::launcher
