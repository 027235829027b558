// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "berth/cluster_scheduler.hpp"

namespace berth::hadar {

/// What a job is worth when it completes x seconds after its arrival; never
/// increasing in x. d is its fastest possible run time, W its gang, S its
/// steps.
enum class UtilityKind : std::uint8_t {
  kInvJct,            ///< 1 / x: mean completion time.
  kInvSlowdown,       ///< d / x: total duration, fairness of slowdown.
  kWeightedSlowdown,  ///< W d / x: total duration.
  kLinear,            ///< horizon - x, at least a tiny value: completion time, milder.
  kThroughput,        ///< S / x, raw steps; biased by model, for comparison only.
  kFtf,               ///< Isolated run time / x: finish-time fairness.
  kInvRemaining,      ///< 1 / time still to go, age left out: Berth's own, for
                      ///< completion time.
  kMakespan,          ///< Time still to go times how well a type suits: Berth's own, for
                      ///< TTD.
};

/// @throws InternalError for a name that the option does not offer.
[[nodiscard]] UtilityKind parse_utility(std::string_view name);

/// A job as the allocation sees it.
struct JobView {
  const JobState* state = nullptr;
  std::vector<double> rates;  ///< [num_types] best steps/s of a pure gang, 0: never.
  double best_rate = 0.0;
  double fastest_seconds = 0.0;   ///< d = S / best rate.
  double isolated_seconds = 0.0;  ///< S / rate on a 1/N share.
  double urgency = 0.0;           ///< kMakespan: seconds still to go on the type that suits best.
  std::vector<double> suits;      ///< kMakespan: [num_types] 1: best type for its price, else less.
};

/// Utilities of one round.
class Utility {
 public:
  /// @param horizon_seconds Only kLinear uses it.
  Utility(UtilityKind kind, double now_seconds, double horizon_seconds)
      : kind_(kind), now_(now_seconds), horizon_(horizon_seconds) {}

  /// The utility of running at `rate` after `overhead_seconds` until the job
  /// ends.
  /// @param counts [num_types] accelerators used.
  [[nodiscard]] double of_running(const JobView& job,
                                  double rate,
                                  double overhead_seconds,
                                  std::span<const std::uint32_t> counts) const;

  /// The utility of completing x seconds after arrival. @pre kind has a value
  /// at completion.
  [[nodiscard]] double at(const JobView& job, double x) const;

  [[nodiscard]] UtilityKind kind() const noexcept { return kind_; }

 private:
  UtilityKind kind_;
  double now_;
  double horizon_;
};

}  // namespace berth::hadar
