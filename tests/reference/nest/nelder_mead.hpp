// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace berth {

/// The point with the least value that the downhill simplex method (Nelder and Mead, 1965) reaches
/// from `start` in `steps` steps; the first simplex is `start` and start[k] + spread.
template <class Function>
std::vector<double> nelder_mead(std::vector<double> start,
                                double spread,
                                std::size_t steps,
                                Function function) {
  using Point = std::pair<double, std::vector<double>>;
  const std::size_t n = start.size();
  std::vector<Point> simplex = {{function(start), start}};
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> corner = start;
    corner[k] += spread;
    simplex.emplace_back(function(corner), corner);
  }
  for (std::size_t step = 0; step < steps; ++step) {
    std::sort(simplex.begin(), simplex.end());
    std::vector<double> centre(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        centre[i] += simplex[k].second[i] / static_cast<double>(n);
      }
    }
    const auto along = [&](double factor) {
      std::vector<double> point(n);
      for (std::size_t i = 0; i < n; ++i) {
        point[i] = centre[i] + factor * (simplex[n].second[i] - centre[i]);
      }
      return Point{function(point), point};
    };
    Point reflected = along(-1.0);
    if (reflected.first < simplex[0].first) {
      Point further = along(-2.0);
      simplex[n] = further.first < reflected.first ? further : reflected;
    } else if (reflected.first < simplex[n - 1].first) {
      simplex[n] = reflected;
    } else {
      Point nearer = along(0.5);
      if (nearer.first < simplex[n].first) {
        simplex[n] = nearer;
        continue;
      }
      for (std::size_t k = 1; k <= n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
          simplex[k].second[i] = 0.5 * (simplex[k].second[i] + simplex[0].second[i]);
        }
        simplex[k].first = function(simplex[k].second);
      }
    }
  }
  return std::min_element(simplex.begin(), simplex.end())->second;
}

}  // namespace berth
