// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "berth/trainable_policy.hpp"

namespace berth::launcher {

/// What became of a rollout on real devices, as the rank that ran it tells the others.
struct MeasuredRollout {
  std::uint64_t id = 0;              ///< Of the rollout, over the campaign.
  std::uint64_t policy_version = 0;  ///< Updates done when it was rolled out.
  RolloutStatus status = RolloutStatus::kOk;
  std::vector<double> seconds;  ///< Of every run that counts, in order; fewer after a failure.
  std::string reason;           ///< Why it failed; empty when it did not.

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& id& policy_version& status& seconds& reason;
  }
};

/// One problem's share of an update on one rank.
struct MeasuredProblem {
  static constexpr std::uint64_t kNoChallenger = std::numeric_limits<std::uint64_t>::max();

  std::uint32_t problem = 0;
  std::vector<double> incumbent_seconds;     ///< Of every run of the incumbent in between.
  std::vector<MeasuredRollout> rollouts;     ///< By ascending id.
  std::uint64_t challenger = kNoChallenger;  ///< Rollout that was then compared with the incumbent
                                             ///< once more, run by run in turn.
  std::vector<double> challenger_again;
  std::vector<double> incumbent_again;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& problem& incumbent_seconds& rollouts;
    archive& challenger& challenger_again& incumbent_again;
  }
};

/// What one rank measured in an update.
struct MeasureReport {
  int stop_signal = 0;  ///< A signal asks to stop: the update is given up.
  std::vector<MeasuredProblem> problems;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& stop_signal& problems;
  }
};

[[nodiscard]] std::string encode(const MeasureReport& report);
/// @throws InternalError if `bytes` is no report.
[[nodiscard]] MeasureReport decode_measurements(const std::string& bytes);

}  // namespace berth::launcher
