// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/trials.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "farm/measurer.hpp"

namespace berth::launcher {
namespace {

constexpr std::uint64_t kUpdate = 7;

Placement on(const std::vector<unsigned>& devices) {
  Placement placement;
  for (const unsigned device : devices) {
    placement.device.push_back(to_id<DeviceId>(device));
  }
  return placement;
}

/// One problem with an incumbent that simulates to 10 and counts as 8.
std::vector<ProblemRecord> one_problem() {
  std::vector<ProblemRecord> problems(1);
  problems[0].measured.incumbent = on({0, 0});
  problems[0].measured.simulated = 10.0;
  problems[0].measured.nominal = 8.0;
  return problems;
}

/// Rollouts 100, 101, ... over two ranks: the incumbent, two within a bound of 0.25, the first of
/// them again, one beyond, and one that failed.
std::vector<RankReport> six_rollouts() {
  const std::vector<Placement> placements = {
      on({0, 0}), on({0, 1}), on({1, 0}), on({0, 1}), on({1, 1}), on({1, 1})};
  const double makespan[] = {10.0, 12.5, 11.0, 12.5, 12.6, 0.0};
  std::vector<RankReport> reports(2);
  for (std::uint64_t i = 0; i < placements.size(); ++i) {
    RankReport& rank = reports[i / 3];
    RolloutReport& report = rank.rollouts.emplace_back();
    report.id = 100 + i;
    report.policy_version = kUpdate;
    report.makespan = makespan[i];
    report.status = i == 5 ? RolloutStatus::kFailed : RolloutStatus::kOk;
    rank.placements.push_back(placements[i]);
  }
  return reports;
}

MeasureReport measured(std::vector<MeasuredRollout> rollouts,
                       std::vector<double> incumbent_seconds) {
  MeasureReport report;
  MeasuredProblem& problem = report.problems.emplace_back();
  problem.incumbent_seconds = std::move(incumbent_seconds);
  problem.rollouts = std::move(rollouts);
  return report;
}

TEST(Trials, AreTheDifferentPlacementsWithinTheBound) {
  const std::vector<RankReport> reports = six_rollouts();

  const TrialPlan plan = plan_trials(reports, one_problem(), {});

  EXPECT_EQ(plan.scored_by,
            (std::vector<std::uint64_t>{
                TrialPlan::kIncumbent, 1, 2, 1, TrialPlan::kScreened, TrialPlan::kFailed}));
  ASSERT_EQ(plan.trials.size(), 2U);
  EXPECT_EQ(plan.trials[0].id, 101U);
  EXPECT_EQ(plan.trials[1].id, 102U);
  EXPECT_EQ(*plan.trials[1].placement, on({1, 0}));
  EXPECT_EQ(plan.share_of(1, 2), std::vector<Trial>{plan.trials[1]});
}

TEST(Trials, AreTheBestBySimulationWhereTheirNumberIsLimited) {
  TrialSettings settings;
  settings.most = 1;

  const TrialPlan plan = plan_trials(six_rollouts(), one_problem(), settings);

  EXPECT_EQ(plan.scored_by,
            (std::vector<std::uint64_t>{TrialPlan::kIncumbent,
                                        TrialPlan::kScreened,
                                        2,
                                        TrialPlan::kScreened,
                                        TrialPlan::kScreened,
                                        TrialPlan::kFailed}));
}

TEST(Trials, AreScoredBesideTheIncumbentOfTheSameRank) {
  const std::vector<RankReport> reports = six_rollouts();
  const std::vector<ProblemRecord> problems = one_problem();
  const TrialPlan plan = plan_trials(reports, problems, {});
  // Medians 3 of 2: ratio 1.5. On the other rank everything takes ten times as long, and the
  // rollout is given up: the limit.
  const std::vector<MeasureReport> found = {
      measured({{101, kUpdate, RolloutStatus::kOk, {3.0, 9.0, 2.0}, ""}}, {2.0, 1.0, 5.0}),
      measured({{102, kUpdate, RolloutStatus::kTimeout, {}, "too long"}}, {20.0})};

  const std::vector<TrialScore> scores =
      score_trials(plan, reports, found, problems, kUpdate, TrialSettings{});

  ASSERT_EQ(scores.size(), 6U);
  EXPECT_EQ(scores[0].makespan, 8.0);
  EXPECT_EQ(scores[1].makespan, 8.0 * 1.5);
  EXPECT_EQ(scores[1].ratio, 1.5);
  EXPECT_EQ(scores[2].status, RolloutStatus::kTimeout);
  EXPECT_EQ(scores[2].makespan, 8.0 * 3.0);
  EXPECT_EQ(scores[3].makespan, 8.0 * 1.5);
  EXPECT_EQ(scores[3].measured, nullptr);
  EXPECT_TRUE(scores[4].is_screened);
  EXPECT_DOUBLE_EQ(scores[4].makespan, 12.6 * 8.0 / 10.0);
  EXPECT_EQ(scores[5].status, RolloutStatus::kFailed);
}

TEST(Trials, RejectWhatIsStaleADuplicateOrWasNotAskedFor) {
  const std::vector<RankReport> reports = six_rollouts();
  const std::vector<ProblemRecord> problems = one_problem();
  const TrialPlan plan = plan_trials(reports, problems, {});
  const auto scored = [&](std::vector<MeasuredRollout> rollouts) {
    return score_trials(
        plan, reports, {measured(std::move(rollouts), {1.0})}, problems, kUpdate, TrialSettings{});
  };
  const MeasuredRollout first{101, kUpdate, RolloutStatus::kOk, {1.0}, ""};
  const MeasuredRollout second{102, kUpdate, RolloutStatus::kOk, {1.0}, ""};

  EXPECT_NO_THROW(static_cast<void>(scored({first, second})));
  EXPECT_THROW(static_cast<void>(scored({first})), InternalError);
  EXPECT_THROW(static_cast<void>(scored({first, second, second})), InternalError);
  EXPECT_THROW(static_cast<void>(scored({first, {102, kUpdate - 1, {}, {1.0}, ""}})),
               InternalError);
  EXPECT_THROW(static_cast<void>(scored({first, second, {104, kUpdate, {}, {1.0}, ""}})),
               InternalError);
}

TEST(Trials, AChallengerReplacesTheIncumbentByTheConfirmingRunsAlone) {
  MeasureReport fast;
  fast.problems.resize(1);
  fast.problems[0].challenger = 101;
  fast.problems[0].challenger_again = {9.0, 9.3, 100.0, 9.1};
  fast.problems[0].incumbent_again = {10.0, 10.0, 10.0, 10.0};
  MeasureReport faster = fast;
  faster.problems[0].challenger = 102;
  faster.problems[0].challenger_again = {8.0, 8.0, 8.0, 8.0};

  MeasureReport lucky = fast;  // the faster by the median, and in two rounds of four
  lucky.problems[0].challenger_again = {5.0, 11.0, 5.0, 11.0};

  EXPECT_EQ(best_challenger({lucky}, 0, 0.01).id, MeasuredProblem::kNoChallenger);
  EXPECT_EQ(best_challenger({fast, faster}, 0, 0.01).id, 102U);
  EXPECT_DOUBLE_EQ(best_challenger({fast}, 0, 0.01).ratio, 0.92);  // 9.2 / 10
  EXPECT_EQ(best_challenger({fast}, 0, 0.1).id, MeasuredProblem::kNoChallenger);
  EXPECT_EQ(best_challenger({fast}, 1, 0.01).id, MeasuredProblem::kNoChallenger);
}

}  // namespace
}  // namespace berth::launcher
