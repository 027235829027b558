// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "berth/device_executor.hpp"
#include "berth/problem.hpp"

namespace berth::testing {

/// The greatest difference of any op's result between the last runs of two executors, relative to 1
/// + its size. Infinite for NaN and for results of unequal length.
inline double result_difference(const PlacementProblem& problem,
                                const DeviceExecutor& found,
                                const DeviceExecutor& expected) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    const std::vector<float> a = found.output(to_id<OpId>(v));
    const std::vector<float> b = expected.output(to_id<OpId>(v));
    if (a.size() != b.size()) {
      return kInfinite;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) /
                           (1.0 + std::abs(static_cast<double>(b[i])));
      worst = apart <= worst ? worst : std::isfinite(apart) ? apart : kInfinite;
    }
  }
  return worst;
}

}  // namespace berth::testing
