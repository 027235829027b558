// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "released_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace berth::internal {
namespace {

/// The largest, over k, of the k + 1 shortest among the k * lanes + 1 longest.
/// @param times descending.
double shared_lane(const std::vector<double>& times, std::size_t lanes) {
  double bound = 0.0;
  for (std::size_t k = 1; k * lanes < times.size(); ++k) {
    double together = 0.0;
    for (std::size_t i = k * lanes - k; i <= k * lanes; ++i) {
      together += times[i];
    }
    bound = std::max(bound, together);
  }
  return bound;
}

}  // namespace

double all_over(std::vector<ReleasedJob>& jobs, std::size_t lanes, bool whole) {
  std::sort(jobs.begin(), jobs.end(), [](const ReleasedJob& a, const ReleasedJob& b) {
    return a.release > b.release;
  });
  std::vector<double> times;  // of the jobs so far; descending up to `sorted`
  std::size_t sorted = 0;
  std::size_t next_look = lanes + 1;
  double work = 0.0;
  double bound = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto [release, time] = jobs[i];
    work += time;
    times.push_back(time);
    const double share = work / static_cast<double>(lanes);
    bound = std::max({bound, release + time, release + (whole ? std::ceil(share) : share)});
    const bool last = i + 1 == jobs.size();
    if (times.size() < next_look && !(last && times.size() > lanes)) {
      continue;
    }
    if (!last && jobs[i + 1].release == release) {
      continue;  // the larger set that is released no earlier says more
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(sorted);
    std::sort(middle, times.end(), std::greater<>());
    std::inplace_merge(times.begin(), middle, times.end(), std::greater<>());
    sorted = times.size();
    bound = std::max(bound, release + shared_lane(times, lanes));
    next_look = std::max(times.size() + 1, times.size() / 16 * 17);
  }
  return bound;
}

}  // namespace berth::internal
