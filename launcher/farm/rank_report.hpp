// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "berth/placement.hpp"
#include "berth/trainable_policy.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, berth::Placement& placement, unsigned /*version*/) {
  archive& placement.device& placement.order;
}

}  // namespace boost::serialization

namespace berth::launcher {

/// What one rollout came to, as its rank tells the others.
struct RolloutReport {
  std::uint64_t id = 0;
  std::uint64_t seed = 0;
  std::uint64_t policy_version = 0;  ///< Updates done when it was rolled out.
  std::uint32_t problem = 0;
  RolloutStatus status = RolloutStatus::kOk;
  double makespan = 0.0;          ///< Time units.
  std::uint64_t simulations = 0;  ///< Spent by the policy and on the score.
  std::string reason;             ///< Why it failed; empty when it did not.

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& id& seed& policy_version& problem& status& makespan& simulations& reason;
  }
};

/// A placement that beats the best known one of its problem.
struct Candidate {
  std::uint32_t problem = 0;
  std::uint64_t id = std::numeric_limits<std::uint64_t>::max();  ///< Of its rollout.
  double makespan = std::numeric_limits<double>::infinity();
  Placement placement;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& problem& id& makespan& placement;
  }
};

/// One rank's part of an update.
struct RankReport {
  int stop_signal = 0;  ///< A signal asks to stop: the update is given up.
  std::uint64_t parameter_hash = 0;
  std::vector<RolloutReport> rollouts;  ///< By ascending id.
  std::vector<Candidate> candidates;    ///< At most one a problem, by ascending problem.
  std::vector<Placement> placements;    ///< Of `rollouts`, where they are to be measured.

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& stop_signal& parameter_hash& rollouts& candidates& placements;
  }
};

[[nodiscard]] std::string encode(const RankReport& report);
/// @throws InternalError if `bytes` is no report.
[[nodiscard]] RankReport decode_report(const std::string& bytes);

}  // namespace berth::launcher
