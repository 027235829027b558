// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "jackson_schedule.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace berth::internal {

double jackson_bound(std::vector<HeadTailJob> jobs, double rate) {
  // Time runs `rate` times as fast, so that no job's time is divided.
  std::sort(jobs.begin(), jobs.end(), [](const HeadTailJob& a, const HeadTailJob& b) {
    return a.head < b.head;
  });
  std::priority_queue<std::pair<double, double>> released;  // (tail, time left)
  double now = 0.0;
  double bound = 0.0;
  std::size_t next = 0;
  while (next < jobs.size() || !released.empty()) {
    if (released.empty()) {
      now = std::max(now, jobs[next].head * rate);
    }
    while (next < jobs.size() && jobs[next].head * rate <= now) {
      released.emplace(jobs[next].tail * rate, jobs[next].time);
      ++next;
    }
    auto [tail, left] = released.top();
    released.pop();
    const double interruption =
        next < jobs.size() ? jobs[next].head * rate : std::numeric_limits<double>::infinity();
    if (now + left <= interruption) {
      now += left;
      bound = std::max(bound, now + tail);
    } else {
      released.emplace(tail, left - (interruption - now));
      now = interruption;
    }
  }
  return bound / rate;
}

}  // namespace berth::internal
