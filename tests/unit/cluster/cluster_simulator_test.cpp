// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster_simulator.hpp"

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"
#include "berth/error.hpp"

#include "small_clusters.hpp"

namespace berth {
namespace {

ClusterRun play(const std::string& cluster,
                const std::vector<JobSpec>& jobs,
                const ClusterSimulationOptions& options) {
  FirstFit scheduler;
  return simulate_cluster(datasets::make_cluster(cluster), jobs, scheduler, options);
}

// Two accelerators; jobs of 100, 200 and 100 s. The third starts when the round ends: at 360 s,
// with the latest finish at 200 s, or with the first finish at 100 s.
TEST(RoundEnd, DecidesWhenAWaitingJobStarts) {
  const std::vector<JobSpec> jobs = {job(100), job(200), job(100)};

  EXPECT_DOUBLE_EQ(play("a:2", jobs, free_moves(RoundEnd::kFixed)).jobs[2].finish_seconds, 460);
  EXPECT_DOUBLE_EQ(play("a:2", jobs, free_moves(RoundEnd::kLatestFinish)).jobs[2].finish_seconds,
                   300);
  EXPECT_DOUBLE_EQ(play("a:2", jobs, free_moves(RoundEnd::kBackfill)).jobs[2].finish_seconds, 200);
  EXPECT_DOUBLE_EQ(play("a:2", jobs, free_moves(RoundEnd::kEvent)).jobs[2].finish_seconds, 200);
}

TEST(RoundEnd, OnlyAnEventClockStartsAnArrivalAtOnce) {
  const std::vector<JobSpec> jobs = {job(1000), job(100, 50)};

  EXPECT_DOUBLE_EQ(play("a:2", jobs, free_moves(RoundEnd::kBackfill)).jobs[1].first_start_seconds,
                   360);
  EXPECT_DOUBLE_EQ(play("a:2", jobs, free_moves(RoundEnd::kEvent)).jobs[1].first_start_seconds, 50);
}

TEST(ExecuteFrom, ThePreviousRoundCountsAnIdleGapAsBusy) {
  ClusterSimulationOptions options = free_moves(RoundEnd::kLatestFinish);
  const std::vector<JobSpec> jobs = {job(100, 5000)};

  EXPECT_DOUBLE_EQ(play("a:1", jobs, options).busy_seconds[0], 100);
  options.execute_from = ExecuteFrom::kPreviousRoundEnd;
  EXPECT_DOUBLE_EQ(play("a:1", jobs, options).busy_seconds[0], 5100);
}

TEST(UtilisationFrom, TimeZeroCountsTheTimeBeforeTheFirstArrival) {
  ClusterSimulationOptions options = free_moves();
  const std::vector<JobSpec> jobs = {job(100, 5000)};

  EXPECT_DOUBLE_EQ(play("a:1", jobs, options).utilisation, 1.0);
  options.utilisation_from = UtilisationFrom::kTimeZero;
  EXPECT_DOUBLE_EQ(play("a:1", jobs, options).utilisation, 100.0 / 5100.0);
}

// Gavel reports 0.25: 100 s + (100100 - 100) s of 4 * 100100 s. The truth is 200 / 400400.
TEST(GavelClock, CountsGapsBetweenJobsAsExecution) {
  const std::vector<JobSpec> jobs = {job(100), job(100, 100000)};

  EXPECT_DOUBLE_EQ(play("a:4", jobs, ClusterSimulationOptions::gavel()).utilisation, 0.25);
  EXPECT_DOUBLE_EQ(play("a:4", jobs, free_moves()).utilisation, 200.0 / 400400.0);
}

// One full round of 360 steps, then 3 steps for 4 workers: five failures, and it is gone.
TEST(MinStepsPerWorker, DropsAGangWithFewerStepsLeftThanWorkers) {
  const std::vector<JobSpec> jobs = {job(363, 0, 4)};

  const ClusterRun gavel = play("a:4", jobs, ClusterSimulationOptions::gavel());
  EXPECT_FALSE(gavel.jobs[0].finished());
  EXPECT_EQ(gavel.num_rounds, 6U);
  EXPECT_DOUBLE_EQ(play("a:4", jobs, free_moves()).jobs[0].finish_seconds, 363);
}

// 0.35 steps/s for 10 s are 3 whole steps: 3 + 3 + 1 steps end at 20 + 1 / 0.35 s.
TEST(TruncateSteps, LosesTheFractionOfARound) {
  ClusterSimulationOptions options = free_moves();
  options.round_seconds = 10;
  const std::vector<JobSpec> jobs = {job(7, 0, 1, 0.35)};

  EXPECT_DOUBLE_EQ(play("a:1", jobs, options).jobs[0].finish_seconds, 20 + 1 / 0.35);
  options.truncate_steps = false;
  EXPECT_DOUBLE_EQ(play("a:1", jobs, options).jobs[0].finish_seconds, 20);
}

TEST(IdleClock, JumpsToTheNextArrivalOnlyInGavel) {
  // Waits until both jobs are there.
  class Patient final : public ClusterScheduler {
   public:
    RoundSchedule schedule(const RoundContext& context) override {
      if (!context.jobs.empty()) {
        calls.push_back(context.now_seconds);
      }
      return context.pending_arrivals > 0 ? RoundSchedule{} : FirstFit().schedule(context);
    }
    std::vector<double> calls;
  };
  const std::vector<JobSpec> jobs = {job(10), job(10, 500)};
  ClusterSimulationOptions options = free_moves();
  const Cluster cluster = datasets::make_cluster("a:2");

  Patient steps;
  (void)simulate_cluster(cluster, jobs, steps, options);
  EXPECT_EQ(steps.calls, (std::vector<double>{0, 360, 720}));

  options.idle_jumps_to_arrival = true;
  Patient jumps;
  (void)simulate_cluster(cluster, jobs, jumps, options);
  EXPECT_EQ(jumps.calls, (std::vector<double>{0, 500}));
}

/// Runs job 0 on accelerator 0 in even rounds and on accelerator 1 in odd ones.
class Alternating final : public ClusterScheduler {
 public:
  RoundSchedule schedule(const RoundContext& context) override {
    if (context.jobs.empty()) {
      return {};
    }
    return {{{JobId{0}, {to_id<GpuId>(context.round % 2)}}}};
  }
};

// 360 steps, then 10 s of restart and 350 more.
TEST(Restart, IsPaidOnAMoveAndNotOnTheFirstStart) {
  Alternating scheduler;
  ClusterSimulationOptions options = free_moves();
  options.gangs.restart_seconds = 10;

  const ClusterRun run =
      simulate_cluster(datasets::make_cluster("a:2"), std::vector{job(710)}, scheduler, options);

  EXPECT_DOUBLE_EQ(run.jobs[0].finish_seconds, 720);
  EXPECT_EQ(run.jobs[0].restarts, 1U);
  EXPECT_DOUBLE_EQ(run.utilisation, 0.5);  // 360 s busy on each of two, restarts included
}

TEST(Spread, RunsAGangOverTwoMachinesAtItsMeasuredRate) {
  std::vector<JobSpec> jobs = {job(100, 0, 2)};
  jobs[0].spread_rates = {0.5};
  ClusterSimulationOptions options = free_moves();

  EXPECT_DOUBLE_EQ(play("a:2/1", jobs, options).jobs[0].finish_seconds, 200);
  EXPECT_DOUBLE_EQ(play("a:2/2", jobs, options).jobs[0].finish_seconds, 100);
  options.gangs.measured_spread = false;
  EXPECT_DOUBLE_EQ(play("a:2/1", jobs, options).jobs[0].finish_seconds, 100);
}

TEST(GangRate, FollowsTheMixRule) {
  JobSpec mixed = job(1, 0, 3);
  mixed.rates = mixed.spread_rates = {6.0, 3.0};
  const std::vector<std::uint32_t> both = {1, 2};
  const auto rate = [&](MixRule rule) {
    return gang_rate(mixed, both, /*one_machine=*/false, {rule, true, 0.0});
  };

  EXPECT_EQ(rate(MixRule::kMin), 3.0);                           // the slower type sets the pace
  EXPECT_EQ(rate(MixRule::kBalanced), (1 * 6.0 + 2 * 3.0) / 3);  // each at its own speed
  EXPECT_EQ(rate(MixRule::kOff), 0.0);
  mixed.rates = mixed.spread_rates = {6.0, 0.0};
  EXPECT_EQ(rate(MixRule::kBalanced), 0.0);  // a type that cannot hold the model is never used
}

TEST(Simulation, MakesEveryStepOnceAndFillsTheTimeline) {
  ClusterSimulationOptions options = free_moves();
  options.record_timeline = true;
  const std::vector<JobSpec> jobs = {job(1000), job(500, 30, 2), job(250, 400)};

  const ClusterRun run = play("a:2/2", jobs, options);

  double busy = 0.0;
  for (const JobInterval& interval : run.timeline) {
    busy += (interval.finish_seconds - interval.start_seconds) *
            static_cast<double>(interval.gpus.size());
  }
  EXPECT_DOUBLE_EQ(busy, 1000 + 2 * 500 + 250);
  EXPECT_DOUBLE_EQ(run.busy_seconds[0] + run.busy_seconds[1], busy);
}

TEST(Simulation, NamesAJobThatNobodyEverStarts) {
  class Nobody final : public ClusterScheduler {
   public:
    RoundSchedule schedule(const RoundContext& /*context*/) override { return {}; }
  };
  Nobody scheduler;

  try {
    (void)simulate_cluster(
        datasets::make_cluster("a:1"), std::vector{job(10)}, scheduler, free_moves());
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("job 0 (test) waits for 1 accelerators"),
              std::string::npos);
  }
}

// Shares of 1/N: alone on one of two accelerators, N = 1, share min(1, 2 / 1 / 1) = 1.
TEST(Metrics, FinishTimeFairnessOfAJobAloneIsOne) {
  const Cluster cluster = datasets::make_cluster("a:2");
  const std::vector<JobSpec> jobs = {job(100)};
  FirstFit scheduler;

  const ClusterRun run = simulate_cluster(cluster, jobs, scheduler, free_moves());

  EXPECT_DOUBLE_EQ(measure(cluster, jobs, run).mean_ftf, 1.0);
}

// Completion times 100, 200, ..., 500 s: median 300, p99 at position 3.96: 496.
TEST(Metrics, PercentilesInterpolate) {
  const std::vector<JobSpec> jobs = {job(100), job(200), job(300), job(400), job(500)};
  const Cluster cluster = datasets::make_cluster("a:5");
  FirstFit scheduler;

  const ClusterMetrics metrics =
      measure(cluster, jobs, simulate_cluster(cluster, jobs, scheduler, free_moves()));

  EXPECT_DOUBLE_EQ(metrics.mean_jct, 300);
  EXPECT_DOUBLE_EQ(metrics.median_jct, 300);
  EXPECT_NEAR(metrics.p99_jct, 496, 1e-9);
  EXPECT_DOUBLE_EQ(metrics.ttd, 500);
}

}  // namespace
}  // namespace berth
