// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What the presets reach on 480 jobs that are all there at the start.

#include <algorithm>

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"

#include "gavel_data.hpp"
#include "gavel_lp_policies.hpp"
#include "gavel_scheduler.hpp"
#include "hadar_presets.hpp"
#include "list_scheduler.hpp"
#include "throughput_estimate.hpp"
#include "trace_words.hpp"

namespace berth {
namespace {

using schedulers::JobOrder;
using schedulers::ListOptions;
using schedulers::ListScheduler;
using schedulers::TypeRule;

class StaticTrace : public testing::Test {
 protected:
  void SetUp() override {
    BERTH_NEEDS_REFERENCE_DATA("hadar");
    problem_ =
        std::make_unique<GavelProblem>("g480_static_multi_s0.csv", "v100:20/4,p100:20/4,k80:20/4");
  }

  ClusterMetrics play(ClusterScheduler& scheduler) {
    run_ = simulate_cluster(problem_->cluster, problem_->jobs, scheduler, options_);
    return measure(problem_->cluster, problem_->jobs, run_);
  }

  std::unique_ptr<GavelProblem> problem_;
  ClusterSimulationOptions options_;  // restarts of 10 s, measured spread
  ClusterRun run_;
};

TEST_F(StaticTrace, TtdPresetIsWithinThreePercentOfTheBound) {
  hadar::HadarScheduler scheduler(hadar::preset("ttd"));

  const double ttd = play(scheduler).ttd;

  const double bound =
      schedulers::total_duration_bound(problem_->cluster, problem_->jobs, options_.gangs);
  EXPECT_GE(ttd, bound);
  EXPECT_LE(ttd, 1.03 * bound);
}

// In round 1728 of this run the simplex once went round in circles for good.
TEST(EstimatedTrace, EndsUnderTheAgnosticMakespanPolicy) {
  const Cluster cluster = datasets::make_cluster("v100:20/4,p100:20/4,k80:20/4");
  const std::optional<datasets::ThroughputTable> table =
      datasets::estimate_throughputs(cluster.type_names());
  const std::vector<JobSpec> jobs =
      datasets::price_jobs(datasets::make_trace("generated:480", table), cluster, table);
  schedulers::GavelScheduler scheduler(
      std::make_unique<schedulers::MinTotalDurationPolicy>(schedulers::Awareness::kAgnostic),
      schedulers::GavelOptions{},
      0);

  const ClusterRun run = simulate_cluster(cluster, jobs, scheduler, {});

  EXPECT_EQ(measure(cluster, jobs, run).finished_jobs, 480U);
}

// The same jobs, arriving 3000 s apart on average: the cluster is not full, and the last long job
// decides.
TEST_F(StaticTrace, TtdPresetIsWithinThreePercentOfTheBoundWithArrivalsToo) {
  problem_ =
      std::make_unique<GavelProblem>("g480_lam3000_multi_s0.csv", "v100:20/4,p100:20/4,k80:20/4");
  hadar::HadarScheduler scheduler(hadar::preset("ttd"));

  const double ttd = play(scheduler).ttd;

  const double bound =
      schedulers::total_duration_bound(problem_->cluster, problem_->jobs, options_.gangs);
  EXPECT_GE(ttd, bound * (1 - 1e-9));
  EXPECT_LE(ttd, 1.03 * bound);
}

TEST_F(StaticTrace, JctPresetBeatsTheShortestFirstBaselines) {
  double best_baseline = 1e300;
  for (const JobOrder order :
       {JobOrder::kRemainingTime, JobOrder::kRemainingService, JobOrder::kAttainedService}) {
    ListOptions options;
    options.order = order;
    options.type_rule = TypeRule::kFastest;
    ListScheduler baseline(options, 0);
    best_baseline = std::min(best_baseline, play(baseline).mean_jct);
  }
  hadar::HadarScheduler scheduler(hadar::preset("jct"));

  EXPECT_LT(play(scheduler).mean_jct, best_baseline);
}

}  // namespace
}  // namespace berth
