// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "list_scheduler.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "small_clusters.hpp"

namespace berth {
namespace {

using schedulers::JobOrder;
using schedulers::ListOptions;
using schedulers::ListScheduler;
using schedulers::TypeRule;

ListOptions fifo() {
  ListOptions options;
  options.preempts = false;
  options.blocks = true;
  return options;
}

/// FIFO that remembers nothing: what is free and who ran is all that its decisions depend on.
class ForgetfulFifo final : public ClusterScheduler {
 public:
  RoundSchedule schedule(const RoundContext& context) override {
    return ListScheduler(fifo(), 0).schedule(context);
  }
};

std::vector<JobSpec> random_jobs(std::uint64_t seed, std::size_t types) {
  Rng rng(seed);
  std::vector<JobSpec> jobs;
  for (int i = 0; i < 30; ++i) {
    JobSpec spec = job(100.0 + 3000.0 * rng.uniform(), 2000.0 * rng.uniform(), 1U << rng.below(4));
    spec.rates.clear();
    for (std::size_t t = 0; t < types; ++t) {
      spec.rates.push_back(t > 0 && rng.uniform() < 0.3 ? 0.0 : 0.5 + rng.uniform());
    }
    spec.spread_rates = spec.rates;
    for (double& rate : spec.spread_rates) {
      rate *= rng.uniform() < 0.3 ? 0.0 : 0.7;  // some gangs cannot be spread
    }
    spec.spread_rates[0] = 0.3;
    jobs.push_back(spec);
  }
  return jobs;
}

TEST(Fifo, DecidesAsIfItHadLookedAgainEveryRound) {
  const Cluster cluster = datasets::make_cluster("a:12/4,b:8/4,c:8/2");
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::vector<JobSpec> jobs = random_jobs(seed, 3);
    for (const RoundEnd end : {RoundEnd::kFixed, RoundEnd::kBackfill, RoundEnd::kEvent}) {
      ClusterSimulationOptions options;
      options.round_end = end;
      ListScheduler remembers(fifo(), 0);
      ForgetfulFifo forgets;

      const ClusterRun run = simulate_cluster(cluster, jobs, remembers, options);
      const ClusterRun expected = simulate_cluster(cluster, jobs, forgets, options);

      for (std::size_t id = 0; id < jobs.size(); ++id) {
        EXPECT_EQ(run.jobs[id].first_start_seconds, expected.jobs[id].first_start_seconds);
        EXPECT_EQ(run.jobs[id].finish_seconds, expected.jobs[id].finish_seconds);
      }
      EXPECT_EQ(run.num_rounds, expected.num_rounds);
    }
  }
}

ClusterRun play_tiresias(const std::vector<JobSpec>& jobs, double limit, double promote_knob) {
  ListOptions options;
  options.order = JobOrder::kTiresias;
  options.queue_limits_gpu_seconds = {limit};
  options.promote_knob = promote_knob;
  ListScheduler scheduler(options, 0);
  return simulate_cluster(datasets::make_cluster("a:4"), jobs, scheduler, free_moves());
}

// A gang of 4 reaches 2880 GPU-seconds after 2880 / 4 = 720 s. At 360 s the formula of Tiresias'
// simulator, (2880 - 360) / 4 more seconds, would keep it in the first queue until 990 s and so,
// in rounds of 360 s, on its accelerators until 1080 s.
TEST(Tiresias, DemotesAfterTheLimitDividedByTheGang) {
  const std::vector<JobSpec> jobs = {job(10000, 0, 4), job(10000, 100, 4)};

  EXPECT_DOUBLE_EQ(play_tiresias(jobs, 2880, 0).jobs[1].first_start_seconds, 720);
  EXPECT_DOUBLE_EQ(play_tiresias(jobs, 2881, 0).jobs[1].first_start_seconds, 1080);
}

// Job 0 is demoted at 720 s with 280 s to go, job 1 at 1440 s. Without promotion both are in the
// second queue, where who runs goes on: job 1 ends at 720 + 2000 s, job 0 follows at 2880 s. With
// a knob of 1 job 0 has waited as long as it ran at 1440 s and is first again.
TEST(Tiresias, PromotesAJobThatWaitedTheKnobTimesItsRun) {
  const std::vector<JobSpec> jobs = {job(1000, 0, 4), job(2000, 100, 4)};

  const ClusterRun never = play_tiresias(jobs, 2880, 0);
  EXPECT_DOUBLE_EQ(never.jobs[1].finish_seconds, 2720);
  EXPECT_DOUBLE_EQ(never.jobs[0].finish_seconds, 3160);

  const ClusterRun knob = play_tiresias(jobs, 2880, 1.0);
  EXPECT_DOUBLE_EQ(knob.jobs[0].finish_seconds, 1720);
  EXPECT_DOUBLE_EQ(knob.jobs[1].finish_seconds, 1800 + 1280);
}

/// Answers rightly, then names its job twice in what otherwise repeats the round before.
class NamesTwice final : public ClusterScheduler {
 public:
  RoundSchedule schedule(const RoundContext& context) override {
    RoundSchedule answer{{{JobId{0}, {GpuId{0}}}}};
    if (context.round > 0) {
      answer.assignments.push_back(answer.assignments.front());
    }
    return answer;
  }
};

TEST(RepeatedRound, IsStillRefusedWhereItNamesAJobTwice) {
  NamesTwice scheduler;

  EXPECT_THROW((void)simulate_cluster(
                   datasets::make_cluster("a:2"), std::vector{job(1000)}, scheduler, free_moves()),
               PluginError);
}

}  // namespace
}  // namespace berth
