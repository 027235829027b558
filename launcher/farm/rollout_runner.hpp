// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "berth/problem.hpp"
#include "berth/simulator.hpp"
#include "berth/trainable_policy.hpp"

#include "campaign_record.hpp"
#include "rank_report.hpp"
#include "stage_plan.hpp"
#include "stop_signal.hpp"
#include "watchdog.hpp"
#include "work_division.hpp"

namespace berth::launcher {

using Problems = std::vector<std::shared_ptr<const PlacementProblem>>;

/// Rolls out and scores one rank's share of each update.
class RolloutRunner {
 public:
  /// All references must outlive the runner. @param own Groups of this rank.
  RolloutRunner(const TrainablePolicy& policy,
                const Problems& problems,
                const WorkDivision& division,
                Range own,
                std::uint64_t seed);

  /// Runs the rank's rollouts of update `record.update`; gives up after the rollout at hand when
  /// `stop` is raised. A rollout that the policy cannot do, or that has no finite makespan, is
  /// reported as failed with its reason. Where rollouts are to be measured, the report holds their
  /// placements and no candidates.
  [[nodiscard]] RankReport run(const StagePlan::Position& position,
                               const CampaignRecord& record,
                               const StopSignal& stop,
                               Watchdog& watchdog);

  /// The rollout of the last update with this number within the update, which is this rank's.
  [[nodiscard]] const Rollout& rollout(std::uint64_t number) const;

 private:
  [[nodiscard]] RolloutReport run_one(const RolloutSpec& spec, Rollout& rollout);

  const TrainablePolicy* policy_;
  const Problems* problems_;
  WorkDivision division_;
  Range own_rollouts_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Simulator>> simulators_;  ///< [problems]
  std::vector<Rollout> rollouts_;
};

}  // namespace berth::launcher
