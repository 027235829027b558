// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute_rounds.hpp"

#include <algorithm>

#include "quartiles.hpp"

namespace berth::launcher {

std::vector<Measurement> measure_one_by_one(std::span<const Placement> placements,
                                            DeviceExecutor& executor,
                                            const MeasureSpec& spec) {
  std::vector<Measurement> found;
  for (const Placement& placement : placements) {
    found.push_back(executor.measure(placement, spec));
  }
  return found;
}

std::vector<Measurement> measure_in_turn(std::span<const Placement> placements,
                                         DeviceExecutor& executor,
                                         const MeasureSpec& spec) {
  MeasureSpec once = spec;
  once.repeats = 1;
  std::vector<Measurement> found(placements.size());
  for (std::uint32_t round = 0; round < spec.repeats; ++round) {
    for (std::size_t i = 0; i < placements.size(); ++i) {
      const std::size_t at = round % 2 == 0 ? i : placements.size() - 1 - i;
      if (found[at].status != RolloutStatus::kOk) {
        continue;
      }
      const Measurement one = executor.measure(placements[at], once);
      found[at].status = one.status;
      found[at].reason = one.reason;
      found[at].seconds.insert(found[at].seconds.end(), one.seconds.begin(), one.seconds.end());
    }
  }
  for (Measurement& measured : found) {
    measured.median_seconds =
        measured.status == RolloutStatus::kOk ? median_of(measured.seconds) : 0.0;
  }
  return found;
}

double paired_ratio(std::span<const double> seconds, std::span<const double> others) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(seconds.size(), others.size()); ++round) {
    ratios.push_back(seconds[round] / others[round]);
  }
  return median_of(std::move(ratios));
}

}  // namespace berth::launcher
