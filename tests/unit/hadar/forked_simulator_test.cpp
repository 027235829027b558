// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/forked_simulator.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"
#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "cluster_file.hpp"
#include "hadare_scheduler.hpp"

namespace berth {
namespace {

using hadar::HadareScheduler;

JobSpec job(double steps, std::vector<double> rates) {
  JobSpec spec;
  spec.name = "test";
  spec.total_steps = steps;
  spec.rates = rates;
  spec.spread_rates = std::move(rates);
  return spec;
}

ForkedSimulationOptions free_of_cost() {
  ForkedSimulationOptions options;
  options.restart_seconds = 0.0;
  options.aggregation_seconds = 0.0;
  return options;
}

// Rates 3 and 1 with overheads 0 and 4 s: tau = (100 + 3 * 0 + 1 * 4) / 4 = 26
// s, so 78 and 22.
TEST(DivideSlot, LetsCopiesEndTogether) {
  const ForkedSlot slot = divide_slot(std::vector<ForkedCopy>{{3, 0}, {1, 4}}, 100, 360);

  EXPECT_TRUE(slot.finishes);
  EXPECT_EQ(slot.steps, (std::vector<std::uint64_t>{78, 22}));
  EXPECT_DOUBLE_EQ(slot.end_seconds, 26);
}

// 3 and 1 steps/s for 10 s make at most 30 + 6 steps of 100.
TEST(DivideSlot, KeepsWhatFitsWhileTheJobCannotFinish) {
  const ForkedSlot slot = divide_slot(std::vector<ForkedCopy>{{3, 0}, {1, 4}}, 100, 10);

  EXPECT_FALSE(slot.finishes);
  EXPECT_EQ(slot.steps, (std::vector<std::uint64_t>{30, 6}));
}

// 10 steps at 3 steps/s are done after 3.3 s; a copy that needs 50 s to start
// takes none.
TEST(DivideSlot, DropsCopiesThatStartTooLate) {
  const ForkedSlot slot = divide_slot(std::vector<ForkedCopy>{{3, 0}, {1, 50}}, 10, 360);

  EXPECT_EQ(slot.steps, (std::vector<std::uint64_t>{10, 0}));
}

TEST(DivideSlot, AlwaysSumsToWhatIsLeft) {
  Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<ForkedCopy> copies(1 + rng.below(6));
    for (ForkedCopy& copy : copies) {
      copy = {0.1 + 20.0 * rng.uniform(), 30.0 * rng.uniform()};
    }
    const std::uint64_t left = 1 + rng.below(400);
    const ForkedSlot slot = divide_slot(copies, left, 720);

    const std::uint64_t sum =
        std::accumulate(slot.steps.begin(), slot.steps.end(), std::uint64_t{0});
    EXPECT_EQ(slot.finishes ? left : sum, sum);
    EXPECT_LE(sum, left);
  }
}

// Rates 2, 1 and 1: 4 steps/s together, so 1440 + 560 steps end in the second
// slot after 140 s.
TEST(SimulateForked, TrainsOneJobOnAllNodes) {
  const Cluster nodes = datasets::make_cluster("a:1,b:2");
  const std::vector<JobSpec> jobs = {job(2000, {2, 1})};
  HadareScheduler forked(0);
  HadareScheduler whole(1);

  EXPECT_DOUBLE_EQ(simulate_forked(nodes, jobs, forked, free_of_cost()).end_seconds, 500);
  EXPECT_DOUBLE_EQ(simulate_forked(nodes, jobs, whole, free_of_cost()).end_seconds, 1000);
}

// CRU = 1 - (overheads + tail) / TTD: here no node ever waits.
TEST(SimulateForked, KeepsEveryNodeBusyUntilTheLastSlot) {
  const Cluster nodes = datasets::make_cluster("a:1,b:2");
  const std::vector<JobSpec> jobs = {job(2000, {2, 1})};
  HadareScheduler scheduler(0);

  const ClusterRun run = simulate_forked(nodes, jobs, scheduler, free_of_cost());

  EXPECT_NEAR(run.utilisation, 1.0, 1e-12);
}

TEST(SimulateForked, ALostCopyOnlyCostsItsOwnSteps) {
  const Cluster nodes = datasets::make_cluster("a:1,b:2");
  const std::vector<JobSpec> jobs = {job(20000, {2, 1})};
  HadareScheduler scheduler(0);
  ForkedSimulationOptions options = free_of_cost();
  options.lost_copy_share = 0.2;

  const ClusterRun run = simulate_forked(nodes, jobs, scheduler, options);

  EXPECT_TRUE(run.jobs[0].finished());
  EXPECT_GT(run.end_seconds, 5000.0);  // 20000 steps at 4 steps/s without losses
  EXPECT_LT(run.end_seconds, 5000.0 / 0.5);
}

TEST(SimulateForked, RefusesGangsAndLargeNodes) {
  HadareScheduler scheduler(0);
  std::vector<JobSpec> jobs = {job(10, {1})};

  EXPECT_THROW(
      (void)simulate_forked(datasets::make_cluster("a:2/2"), jobs, scheduler, free_of_cost()),
      InputError);
  jobs[0].gang = 2;
  EXPECT_THROW(
      (void)simulate_forked(datasets::make_cluster("a:2"), jobs, scheduler, free_of_cost()),
      InputError);
}

// Two jobs and two types, each job twice as fast on its own: half the time on
// one type each.
TEST(DivisibleLoadBound, IsReachedByThePerfectDivision) {
  const Cluster nodes = datasets::make_cluster("a:1,b:1");
  const std::vector<JobSpec> jobs = {job(1000, {2, 1}), job(1000, {1, 2})};

  EXPECT_NEAR(*HadareScheduler(0).lower_bound_seconds(nodes, jobs, {}), 500.0, 1e-9);
}

}  // namespace
}  // namespace berth
