// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include "berth/error.hpp"
#include "berth/logger.hpp"
#include "berth/trainable_policy.hpp"

#include "campaign_record.hpp"
#include "checkpoints/run_folder.hpp"
#include "measure_report.hpp"
#include "measurer.hpp"
#include "mpi_session.hpp"
#include "rollout_runner.hpp"
#include "stage_plan.hpp"
#include "tree_sum.hpp"
#include "trials.hpp"
#include "work_division.hpp"

namespace berth::launcher {

/// A failure that every rank found in the same place: rank 0 tells, all end in order.
class AgreedFailure : public RunError {
 public:
  using RunError::RunError;
};

struct FarmSettings {
  std::uint64_t seed = 1;
  WorkDivision division;
  StagePlan plan{{}};
  std::uint64_t checkpoint_every = 50;  ///< Updates, >= 1.
  double max_failed_rollouts = 0.1;     ///< Fraction of an update's rollouts, 0 .. 1.
  MeasureSettings measure;              ///< For stages of kind execution.
  std::vector<Placement> given;         ///< [problems] what runs now; empty where not known.
};

/// What an update of kind execution did on one problem.
struct TrialSummary {
  std::uint64_t measured = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t out_of_memory = 0;
  std::uint64_t screened = 0;
  double incumbent_seconds = 0.0;  ///< Median; 0 if nothing was run.
  double best_ratio = 0.0;         ///< Least measured time over the incumbent's; 0 if none.
  double regret = 0.0;  ///< Sum over measured rollouts of (time - incumbent) / incumbent.
  double worst_regret = 0.0;
  std::uint64_t adopted = MeasuredProblem::kNoChallenger;  ///< Rollout that replaced the incumbent.
  double adopted_ratio = 1.0;
};

/// One update as metrics and progress show it.
struct UpdateSummary {
  Stage stage = Stage::kSimulation;
  std::uint64_t rollouts = 0;
  std::uint64_t failed = 0;
  double seconds = 0.0;
  std::vector<double> mean_makespan;  ///< [problems] time units; NaN where none of them was run.
  std::vector<TrialSummary> trials;   ///< [problems] in stages of kind execution, else empty.
  std::vector<MeasureReport> measurements;  ///< [ranks] likewise.
};

/// What rank 0 does with the results; the others have none.
class FarmOutput {
 public:
  FarmOutput() = default;
  FarmOutput(const FarmOutput&) = delete;
  FarmOutput& operator=(const FarmOutput&) = delete;
  virtual ~FarmOutput();

  virtual void updated(const CampaignRecord& record, const UpdateSummary& summary) = 0;
  virtual void checkpoint(const CampaignRecord& record, checkpoints::Standing standing) = 0;
};

/// The training loop, the same on every rank: own rollouts, all outcomes, assess, own gradients,
/// the sum over all groups, step. Ranks never hold different weights.
class Farm {
 public:
  /// All references must outlive the farm. @param output Null on every rank but 0.
  /// @param measurer Null on every rank that does not measure, and where no stage does.
  Farm(MpiSession& session,
       TrainablePolicy& policy,
       const Problems& problems,
       const FarmSettings& settings,
       CampaignRecord& record,
       FarmOutput* output,
       Watchdog& watchdog,
       Logger& logger,
       Measurer* measurer = nullptr);

  /// Runs to the end of the plan. @return 0, or the signal that stopped it after a checkpoint.
  /// @throws AgreedFailure for too many failed rollouts, a gradient that is not finite, or ranks
  ///         that hold different weights.
  int run(const StopSignal& stop);

 private:
  /// @return false if a signal stops the campaign; nothing has changed then.
  bool update(const StopSignal& stop);
  [[nodiscard]] std::vector<RankReport> exchange(const StagePlan::Position& position,
                                                 const StopSignal& stop);
  [[nodiscard]] std::vector<RolloutOutcome> merge(const std::vector<RankReport>& reports,
                                                  const std::vector<TrialScore>& scores,
                                                  const StagePlan::Position& position,
                                                  UpdateSummary& summary);
  void reject_failures(const std::vector<RolloutReport>& failed) const;
  void take_candidates(const std::vector<RankReport>& reports);
  // Stages of kind execution: farm_execution.cpp.
  void choose_incumbents();
  [[nodiscard]] std::vector<TrialScore> measure(const std::vector<RankReport>& reports,
                                                UpdateSummary& summary,
                                                const StopSignal& stop);
  void count_trials(const std::vector<RankReport>& reports,
                    const std::vector<TrialScore>& scores,
                    UpdateSummary& summary);
  void take_challengers(const std::vector<RankReport>& reports, UpdateSummary& summary);
  void learn(const std::vector<RolloutOutcome>& outcomes, const StagePlan::Position& position);
  void checkpoint_if_due(Stage stage);

  MpiSession& session_;
  TrainablePolicy& policy_;
  const Problems& problems_;
  FarmSettings settings_;
  CampaignRecord& record_;
  FarmOutput* output_;
  Watchdog& watchdog_;
  Logger& logger_;
  Measurer* measurer_;
  RolloutRunner runner_;
  TreeSum sum_;
  int stop_signal_ = 0;
};

}  // namespace berth::launcher
