// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "berth/state.hpp"
#include "berth/trainable_policy.hpp"

#include "settings.hpp"

namespace berth::doppler {

/// Turns makespans into advantages; better than the baseline is positive.
///
/// kGroup: per problem and update, (mean - makespan) / spread, clipped to +-3; free of units. With
/// fewer than four outcomes of a problem in an update the running mean and spread of the problem
/// stand in. A failed rollout gets -3.
/// kRunMean: as the reference: mean over all rollouts of the run so far, this one included, minus
/// the makespan, in units of 1e10 of the graph's time units (its milliseconds).
class Advantages {
 public:
  explicit Advantages(Baseline baseline) : baseline_(baseline) {}

  /// @param outcomes of one update, by ascending id; fills `advantage`.
  void assess(std::span<RolloutOutcome> outcomes);

  void save(StateWriter& writer) const;
  void load(const StateReader& reader);

 private:
  struct Running {
    double count = 0.0;
    double mean = 0.0;
    double square = 0.0;  ///< Running mean of squared deviations.
  };

  void assess_group(std::span<RolloutOutcome> outcomes, std::uint32_t problem);
  void assess_by_run(RolloutOutcome& outcome);

  Baseline baseline_;
  std::map<std::uint32_t, Running> running_;
};

}  // namespace berth::doppler
