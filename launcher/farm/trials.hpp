// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "campaign_record.hpp"
#include "measure_report.hpp"
#include "rank_report.hpp"

namespace berth::launcher {

/// How a stage of kind execution explores.
struct TrialSettings {
  double bound = 0.25;         ///< Predicted share above the incumbent beyond which nothing is run.
  double limit = 3.0;          ///< Times the incumbent's after which a run is given up, >= 1.
  std::uint64_t most = 0;      ///< Placements of a problem run in an update; 0: all.
  double adopt_margin = 0.01;  ///< Share by which a challenger must be faster, 0 .. 1.
};

/// A rollout that is to be measured.
struct Trial {
  std::uint64_t number = 0;  ///< Within the update.
  std::uint64_t id = 0;
  std::uint32_t problem = 0;
  const Placement* placement = nullptr;  ///< In the reports.

  bool operator==(const Trial&) const = default;
};

/// What an update runs, and where each of its rollouts gets its score from.
struct TrialPlan {
  static constexpr std::uint64_t kIncumbent = ~std::uint64_t{0};  ///< The same placement.
  static constexpr std::uint64_t kScreened = kIncumbent - 1;      ///< Too slow by the simulator.
  static constexpr std::uint64_t kFailed = kIncumbent - 2;        ///< As the rollout itself.

  std::vector<Trial> trials;             ///< By number.
  std::vector<std::uint64_t> scored_by;  ///< [rollouts] number of a trial, or one of the above.

  /// The trials of executor rank `k` of `executors`: every executors-th.
  [[nodiscard]] std::vector<Trial> share_of(std::size_t k, std::size_t executors) const;
};

/// Decides by simulated makespans alone which rollouts are run: none that equals the incumbent or
/// an earlier one, none beyond the bound, and at most `most` of a problem, least makespan first.
/// The same on every rank, whatever their number. @pre every problem has a measured incumbent.
[[nodiscard]] TrialPlan plan_trials(const std::vector<RankReport>& reports,
                                    std::span<const ProblemRecord> problems,
                                    const TrialSettings& settings);

/// What a rollout of such an update counts as.
struct TrialScore {
  RolloutStatus status = RolloutStatus::kOk;
  double makespan = 0.0;  ///< Time units; after a time-out or without memory that of the limit.
  const MeasuredRollout* measured = nullptr;  ///< Null if nothing was run for it itself.
  double ratio = 0.0;  ///< Measured time over the incumbent's, the limit where it was given up.
  bool is_screened = false;  ///< The bound, or `most`, kept it from running.
  std::string reason;        ///< Why it failed.
};

/// Scores all rollouts of an update: a measured one as the incumbent's nominal makespan times the
/// ratio of medians, so that what the host does meanwhile cancels out; one that was not run as its
/// simulated makespan on the same scale.
/// @throws InternalError naming a measurement that is stale, a duplicate, or of no trial.
[[nodiscard]] std::vector<TrialScore> score_trials(const TrialPlan& plan,
                                                   const std::vector<RankReport>& reports,
                                                   const std::vector<MeasureReport>& measured,
                                                   std::span<const ProblemRecord> problems,
                                                   std::uint64_t policy_version,
                                                   const TrialSettings& settings);

/// A challenger whose confirmed median is below the incumbent's by the margin, and which was faster
/// in three confirming rounds of four: of two that are alike, noise makes one the faster on average
/// in every second update, but seldom in most rounds.
struct Adoption {
  std::uint64_t id = MeasuredProblem::kNoChallenger;
  double ratio = 1.0;  ///< Of the confirming medians.
};
/// The best of a problem's challengers of all ranks; the least id where several tie.
[[nodiscard]] Adoption best_challenger(const std::vector<MeasureReport>& measured,
                                       std::uint32_t problem,
                                       double adopt_margin);

/// The incumbent's median over all ranks' runs of this update; 0 if none ran it.
[[nodiscard]] double incumbent_seconds(const std::vector<MeasureReport>& measured,
                                       std::uint32_t problem);

}  // namespace berth::launcher
