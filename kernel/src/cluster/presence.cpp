// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "presence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::internal {
namespace {

struct Change {
  double at = 0.0;
  double present = 0.0;   // after `at`
  double integral = 0.0;  // of the number present, up to `at`
};

double integral_until(std::span<const Change> changes, double time) {
  const auto after = std::upper_bound(
      changes.begin(), changes.end(), time, [](double t, const Change& c) { return t < c.at; });
  if (after == changes.begin()) {
    return 0.0;
  }
  const Change& last = *(after - 1);
  return last.integral + last.present * (time - last.at);
}

}  // namespace

void fill_mean_jobs_present(std::span<JobRecord> jobs) {
  std::vector<std::pair<double, double>> events;
  for (const JobRecord& job : jobs) {
    if (job.finished()) {
      events.emplace_back(job.arrival_seconds, 1.0);
      events.emplace_back(job.finish_seconds, -1.0);
    }
  }
  std::sort(events.begin(), events.end());
  std::vector<Change> changes;
  changes.reserve(events.size());
  Change now;
  for (const auto& [at, change] : events) {
    now.integral += now.present * (at - now.at);
    now.at = at;
    now.present += change;
    changes.push_back(now);
  }
  for (JobRecord& job : jobs) {
    const double stay = job.completion_seconds();
    if (job.finished() && stay > 0.0) {
      job.mean_jobs_present = (integral_until(changes, job.finish_seconds) -
                               integral_until(changes, job.arrival_seconds)) /
                              stay;
    }
  }
}

}  // namespace berth::internal
