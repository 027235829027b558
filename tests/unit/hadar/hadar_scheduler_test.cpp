// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "hadar_scheduler.hpp"

#include <map>

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"
#include "berth/cluster_simulator.hpp"

#include "hadar_presets.hpp"
#include "toy_rounds.hpp"

namespace berth::hadar {
namespace {

JobSpec job(double steps, std::uint32_t gang, std::vector<double> rates) {
  JobSpec spec;
  spec.name = "toy";
  spec.gang = gang;
  spec.total_steps = steps;
  spec.rates = rates;
  spec.spread_rates = std::move(rates);
  return spec;
}

ClusterRun play(const std::vector<JobSpec>& jobs,
                const std::string& cluster,
                const HadarOptions& options,
                MixRule mix = MixRule::kMin) {
  HadarScheduler scheduler(options);
  ClusterSimulationOptions simulation;
  simulation.gangs.mix = mix;
  return simulate_cluster(datasets::make_cluster(cluster), jobs, scheduler, simulation);
}

// One accelerator of each type; a gang of two can only start mixed: 100 steps
// at min(2, 1), or at (2 + 1) / 2 steps/s. As a rate counts the whole gang, a
// pure gang could never run here.
TEST(HadarScheduler, MixesTypesInOneGang) {
  std::vector<JobSpec> jobs = {job(100, 2, {2.0, 1.0})};
  HadarOptions options;
  options.prices.enabled = false;
  // The gang must be able to run alone on some type to be accepted, so a has
  // two accelerators, one of them kept busy by a shorter job.
  jobs.push_back(job(10, 1, {1.0, 0.0}));
  const auto finish = [&](MixRule mix) {
    return play(jobs, "a:2/1,b:1", options, mix).jobs[0].finish_seconds;
  };

  EXPECT_DOUBLE_EQ(finish(MixRule::kMin), 100.0);
  EXPECT_DOUBLE_EQ(finish(MixRule::kBalanced), 100.0 / 1.5);
  EXPECT_DOUBLE_EQ(finish(MixRule::kOff),
                   360.0 + 50.0);  // waits for two of type a
}

// Two single jobs sit on different machines of four. A gang of four fits a machine, where it makes
// 4 steps/s, and over two it would make 1: it is not left there for good.
TEST(HadarScheduler, GathersAGangThatScatteredJobsKeepApart) {
  const Cluster cluster = datasets::make_cluster("a:8/4");
  std::vector<JobSpec> specs = {job(1e5, 1, {1.0}), job(1e5, 1, {1.0}), job(1e5, 4, {4.0})};
  specs[2].spread_rates = {1.0};
  std::vector<JobState> states(specs.size());
  for (std::size_t id = 0; id < states.size(); ++id) {
    states[id].id = to_id<JobId>(id);
    states[id].spec = &specs[id];
    states[id].remaining_steps = specs[id].total_steps;
    if (id < 2) {
      states[id].ran_last_round = true;
      states[id].first_start_seconds = 0.0;
      states[id].gpus = {to_id<GpuId>(4 * id)};
    }
  }
  HadarScheduler scheduler(preset("ttd"));

  const RoundSchedule round = scheduler.schedule(
      {cluster, states, {}, {}, 0, 1, 360.0, 360.0, {MixRule::kMin, true, 10.0}});

  ASSERT_EQ(round.assignments.size(), 3U);
  for (const Assignment& assignment : round.assignments) {
    EXPECT_TRUE(on_one_machine(cluster, assignment.gpus)) << "job " << index(assignment.job);
  }
}

TEST(HadarScheduler, KeepsADecisionUntilSomethingChanges) {
  const std::vector<JobSpec> jobs = {job(2000, 1, {1.0}), job(2000, 1, {1.0}), job(2000, 1, {1.0})};
  HadarOptions options;
  options.prices.enabled = false;
  options.utility = UtilityKind::kMakespan;  // whoever has most to do: alternates every round
  const auto restarts = [&](std::uint32_t rounds) {
    options.replan_rounds = rounds;
    const ClusterRun run = play(jobs, "a:2", options);
    return run.jobs[0].restarts + run.jobs[1].restarts + run.jobs[2].restarts;
  };

  EXPECT_GT(restarts(1), restarts(3));
}

TEST(HadarScheduler, EqualJobsInAnotherOrderGiveTheSameTimes) {
  const ToyRound round(11, "a:4/2,b:4/2", 12);
  std::vector<JobSpec> reversed(round.specs.rbegin(), round.specs.rend());
  HadarOptions options;

  const ClusterRun forward = play(round.specs, "a:4/2,b:4/2", options);
  const ClusterRun backward = play(reversed, "a:4/2,b:4/2", options);

  for (std::size_t id = 0; id < reversed.size(); ++id) {
    EXPECT_EQ(forward.jobs[id].finish_seconds,
              backward.jobs[reversed.size() - 1 - id].finish_seconds);
  }
}

TEST(HadarScheduler, ExplainsWhoRunsAndWhoWaits) {
  const ToyRound round(3, "a:1,b:1", 4, 1);
  HadarOptions options;
  HadarScheduler scheduler(options);
  const RoundSchedule schedule = scheduler.schedule(round.context());

  std::size_t running = 0;
  std::size_t waiting = 0;
  for (const JobState& state : round.states) {
    const std::string text = scheduler.explain(state.id);
    running += text.find("= payoff") != std::string::npos ? 1 : 0;
    waiting += text.find("by utility per accelerator; left: 0 a 0 b") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(running, schedule.assignments.size());
  EXPECT_EQ(waiting, 4 - running);
}

TEST(HadarScheduler, PrintsACertificateWhosePartsFitTogether) {
  const ToyRound round(5, "a:4/4,b:4/4", 10, 2);
  HadarScheduler scheduler(HadarOptions{});
  (void)scheduler.schedule(round.context());
  std::map<std::string, double> figures;
  for (const SchedulerFigure& figure : scheduler.figures()) {
    figures[figure.name] = figure.value;
  }

  EXPECT_GT(figures["primal"], 0.0);
  EXPECT_GE(figures["dual"], figures["primal"]);
  EXPECT_DOUBLE_EQ(figures["ratio"], figures["dual"] / figures["primal"]);
  EXPECT_DOUBLE_EQ(figures["certified_ratio"], 2 * figures["alpha_whole_gpus"]);
  EXPECT_GE(figures["alpha_whole_gpus"], figures["alpha"]);
}

// Types of speed 2 and 1 and equal size. Jobs 0 and 1 gain four times from type
// a, jobs 2 and 3 nothing: prices that balance the work send them apart.
TEST(BalancingPrices, SendJobsWhereTheyGainMost) {
  ToyRound round(1, "a:2/2,b:2/2", 4, 1);
  for (std::size_t id = 0; id < 4; ++id) {
    round.specs[id].rates = id < 2 ? std::vector<double>{4.0, 1.0} : std::vector<double>{1.0, 1.0};
    round.states[id].remaining_steps = id < 2 ? 4000.0 : 1000.0;
  }
  const RoundContext context = round.context();

  const std::vector<JobView> jobs = view_jobs(context, UtilityKind::kMakespan);

  EXPECT_DOUBLE_EQ(jobs[0].suits[0], 1.0);
  EXPECT_LT(jobs[0].suits[1], 1.0);
  EXPECT_DOUBLE_EQ(jobs[2].suits[1], 1.0);
  EXPECT_LT(jobs[2].suits[0], 1.0);
}

}  // namespace
}  // namespace berth::hadar
