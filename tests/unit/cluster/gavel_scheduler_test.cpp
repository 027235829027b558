// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Each flag of Gavel's mechanism with both values, on traces of two or three jobs.

#include "gavel_scheduler.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "gavel_queue_policies.hpp"
#include "pure_gangs.hpp"
#include "small_clusters.hpp"

namespace berth {
namespace {

using schedulers::GavelOptions;
using schedulers::GavelScheduler;
using schedulers::IsolatedPolicy;

ClusterRun play(const std::vector<JobSpec>& jobs,
                const GavelOptions& options,
                const std::string& cluster = "a:2") {
  GavelScheduler scheduler(std::make_unique<IsolatedPolicy>(), options, 0);
  return simulate_cluster(
      datasets::make_cluster(cluster), jobs, scheduler, ClusterSimulationOptions::gavel());
}

// Solved at 1000 s. Job 1 is seen at 1360 s, but the next solution is due 1920 s after the first:
// at the first round boundary from 2920 s on, 1000 + 6 * 360 = 3160 s. Until then it may hold an
// accelerator, run without a share, or wait.
const std::vector<JobSpec> kLateJob = {job(100000, 1000), job(1000, 1100)};

TEST(ResetInterval, KeepsANewJobWaitingForItsShare) {
  GavelOptions options = GavelOptions::gavel();
  EXPECT_DOUBLE_EQ(play(kLateJob, options).jobs[1].first_start_seconds, 3160);
  options.reset_interval_seconds = 0.0;
  EXPECT_DOUBLE_EQ(play(kLateJob, options).jobs[1].first_start_seconds, 1360);
}

TEST(HoldWithoutAllocation, BlocksAcceleratorsThatWouldOtherwiseRun) {
  GavelOptions options = GavelOptions::gavel();
  options.hold_without_allocation = false;
  EXPECT_DOUBLE_EQ(play(kLateJob, options).jobs[1].first_start_seconds, 1360);
}

TEST(WorkConserving, OffLeavesAcceleratorsIdleUntilTheNextSolution) {
  GavelOptions options = GavelOptions::gavel();
  options.hold_without_allocation = false;
  options.work_conserving = false;
  EXPECT_DOUBLE_EQ(play(kLateJob, options).jobs[1].first_start_seconds, 3160);
}

// Solved at 1000 s, done at 1010 s. At 1500 s job 1 holds an accelerator without a share; the
// clock stands still, and the next pass finds that nothing ran and nobody will arrive.
TEST(ResetWhenDrained, ForcesASolutionOnceNobodyWillArrive) {
  const std::vector<JobSpec> jobs = {job(10, 1000), job(1000, 1500)};
  GavelOptions options = GavelOptions::gavel();
  EXPECT_DOUBLE_EQ(play(jobs, options).jobs[1].first_start_seconds, 1500);

  options.reset_when_drained = false;
  options.hold_without_allocation = false;
  options.work_conserving = false;
  EXPECT_THROW((void)play(jobs, options), RunError);  // the clock never moves again
}

// Two jobs share one accelerator: a share of 1/2 each. With credit each has received 180 of 360 s:
// priority 1. Without credit nothing was received: 1e9 times the share.
TEST(InitialJobTime, DampsTheFirstPriorities) {
  const std::vector<JobSpec> jobs = {job(1000), job(1000)};
  const auto first_explanation = [&](double credit) {
    GavelOptions options = GavelOptions::gavel();
    options.initial_job_time_share = credit;
    GavelScheduler scheduler(std::make_unique<IsolatedPolicy>(), options, 0);
    std::string text;
    (void)simulate_cluster(datasets::make_cluster("a:1"),
                           jobs,
                           scheduler,
                           ClusterSimulationOptions::gavel(),
                           [&](const RoundContext& context, const RoundSchedule& /*round*/) {
                             text = context.round == 0 ? scheduler.explain(JobId{0}) : text;
                           });
    return text;
  };
  EXPECT_EQ(first_explanation(0.5), "chosen; type 0: share 0.5000, priority 1");
  EXPECT_EQ(first_explanation(0.0), "chosen; type 0: share 0.5000, priority 5e+08");
}

// A gang of 2 (share 2/2/2) and a single job (share 2/2/1) on 2 accelerators. Round 0 runs the
// single job (priority 1 / (180/360) = 2 against 1), round 1 the gang. In round 2 the gang has
// received 180 + 360 s of 360 + 360 + 360, or of 360 + 360 + 720 if its time counts per
// accelerator.
TEST(WorkerTimePerGpu, CountsAGangOncePerAccelerator) {
  const std::vector<JobSpec> jobs = {job(1000, 0, 2), job(1000)};
  const auto third_explanation = [&](bool per_gpu) {
    GavelOptions options = GavelOptions::gavel();
    options.worker_time_per_gpu = per_gpu;
    GavelScheduler scheduler(std::make_unique<IsolatedPolicy>(), options, 0);
    std::string text;
    (void)simulate_cluster(datasets::make_cluster("a:2"),
                           jobs,
                           scheduler,
                           ClusterSimulationOptions::gavel(),
                           [&](const RoundContext& context, const RoundSchedule& /*round*/) {
                             text = context.round == 2 ? scheduler.explain(JobId{0}) : text;
                           });
    return text.substr(text.find("priority"));
  };

  EXPECT_EQ(third_explanation(false), "priority 1");
  EXPECT_EQ(third_explanation(true), "priority 1.333");
}

TEST(Stickiness, DecidesWhetherAPausedJobComesBackToItsPlace) {
  const Cluster cluster = datasets::make_cluster("a:2/1");
  const JobSpec spec = job(1000);
  JobState paused;
  paused.spec = &spec;
  paused.gpus = {GpuId{1}};
  const std::vector<JobState> jobs = {paused};
  const RoundContext context{cluster, jobs, {}, {}, 0, 1, 360.0, 360.0, {}};
  const auto place = [&](schedulers::Stickiness rule) {
    return schedulers::place_pure_gangs(context, {{0, 0}}, rule).assignments[0].gpus[0];
  };

  EXPECT_EQ(place(schedulers::Stickiness::kPreviousRound), GpuId{0});
  EXPECT_EQ(place(schedulers::Stickiness::kEver), GpuId{1});
}

}  // namespace
}  // namespace berth
