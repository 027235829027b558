// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"

#include "farm/campaign_record.hpp"
#include "farm/rollout_runner.hpp"
#include "farm/stage_plan.hpp"
#include "mpi_session.hpp"
#include "policy_request.hpp"

namespace berth::launcher {

/// How a training is cut into updates so that it spends at most a budget of simulations.
struct TrainingPlan {
  std::uint64_t rollouts = 16;  ///< Per update.
  std::vector<StagePart> stages;

  [[nodiscard]] std::uint64_t updates() const { return StagePlan(stages).updates(); }
};

/// `share` of the budget goes to imitation, where a rollout takes one simulation, the rest to the
/// simulator stage, where it takes `cost` of them.
/// @pre budget > 0, cost > 0, share in 0 .. 1
[[nodiscard]] TrainingPlan plan_training(std::uint64_t budget, std::uint64_t cost, double share);

struct CurvePoint {
  std::uint64_t rollouts = 0;     ///< Done so far.
  std::uint64_t simulations = 0;  ///< Spent so far, on all problems.
  double mean = 0.0;              ///< Makespan of the update's rollouts of the first problem.
  double best = 0.0;              ///< Best makespan so far of the first problem.
};

struct TrainingResult {
  CampaignRecord record;
  std::vector<CurvePoint> curve;  ///< One an update; empty on ranks other than 0.
  double seconds = 0.0;
};

/// Trains policies by the farm, on all ranks of the session alike.
class Trainer {
 public:
  /// All references must outlive the trainer.
  Trainer(MpiSession& session, PluginHost& host, Logger& logger)
      : session_(&session), host_(&host), logger_(&logger) {}

  [[nodiscard]] std::unique_ptr<TrainablePolicy> fresh(const PolicyRequest& request,
                                                       std::uint64_t seed) const;

  /// Simulations of one rollout in the simulator stage, the scoring one included.
  [[nodiscard]] std::uint64_t cost_of(const PolicyRequest& request,
                                      const PlacementProblem& problem) const;

  /// Goes on from whatever `policy` knows. Stages of kind execution run on `executor`.
  /// @param given where measuring starts on the only problem; null: the best placement of the
  ///        stages before.
  /// Nothing is kept of a training that is cut short, so a signal ends the process.
  /// @throws AgreedFailure as the farm.
  [[nodiscard]] TrainingResult train(TrainablePolicy& policy,
                                     const Problems& problems,
                                     const TrainingPlan& plan,
                                     std::uint64_t seed,
                                     const std::string& executor = "",
                                     const Placement* given = nullptr) const;

  [[nodiscard]] MpiSession& session() const noexcept { return *session_; }
  [[nodiscard]] PluginHost& host() const noexcept { return *host_; }

 private:
  MpiSession* session_;
  PluginHost* host_;
  Logger* logger_;
};

}  // namespace berth::launcher
