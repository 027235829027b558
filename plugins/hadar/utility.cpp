// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "utility.hpp"

#include <algorithm>
#include <string>

#include "berth/error.hpp"

namespace berth::hadar {
namespace {

constexpr double kTiny = 1e-9;

}  // namespace

UtilityKind parse_utility(std::string_view name) {
  constexpr std::pair<std::string_view, UtilityKind> kNames[] = {
      {"inv_jct", UtilityKind::kInvJct},
      {"inv_slowdown", UtilityKind::kInvSlowdown},
      {"weighted_slowdown", UtilityKind::kWeightedSlowdown},
      {"linear", UtilityKind::kLinear},
      {"throughput", UtilityKind::kThroughput},
      {"ftf", UtilityKind::kFtf},
      {"inv_remaining", UtilityKind::kInvRemaining},
      {"makespan", UtilityKind::kMakespan},
  };
  for (const auto& [known, kind] : kNames) {
    if (known == name) {
      return kind;
    }
  }
  throw InternalError("unknown utility '" + std::string(name) + "'");
}

double Utility::at(const JobView& job, double x) const {
  x = std::max(x, kTiny);
  switch (kind_) {
    case UtilityKind::kInvJct:
    case UtilityKind::kInvRemaining:
      return 1.0 / x;
    case UtilityKind::kInvSlowdown:
      return job.fastest_seconds / x;
    case UtilityKind::kWeightedSlowdown:
      return job.state->spec->gang * job.fastest_seconds / x;
    case UtilityKind::kLinear:
      return std::max(kTiny, horizon_ - x);
    case UtilityKind::kThroughput:
      return job.state->spec->total_steps / x;
    case UtilityKind::kFtf:
      return job.isolated_seconds / x;
    case UtilityKind::kMakespan:
      return job.urgency * job.state->spec->gang;
  }
  throw InternalError("unknown utility kind");
}

double Utility::of_running(const JobView& job,
                           double rate,
                           double overhead_seconds,
                           std::span<const std::uint32_t> counts) const {
  const double to_go = overhead_seconds + job.state->remaining_steps / rate;
  if (kind_ == UtilityKind::kInvRemaining) {
    return 1.0 / std::max(to_go, kTiny);
  }
  if (kind_ == UtilityKind::kMakespan) {
    double least = 1.0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      if (counts[t] > 0) {
        // A gang over several machines gets less out of a type than it might.
        least = std::min(least, job.suits[t] * std::min(1.0, rate / job.rates[t]));
      }
    }
    // The third power keeps urgent jobs from taking accelerators that others use much better.
    return at(job, 0.0) * least * least * least;
  }
  return at(job, now_ - job.state->spec->arrival_seconds + to_go);
}

}  // namespace berth::hadar
