// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The divisible-load bounds of the toy mixes, to 1e-4
// min, and what forking gains on them.

#include <cmath>

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"
#include "berth/forked_simulator.hpp"

#include "gavel_data.hpp"
#include "hadare_scheduler.hpp"

namespace berth {
namespace {

struct Mix {
  std::size_t jobs;
  double bound_minutes;
};

class HadareMixes : public testing::TestWithParam<Mix> {};

TEST_P(HadareMixes, ReachTheBoundAndForkingGains) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const Cluster nodes = datasets::make_cluster("v100:1,p100:2,k80:2");
  const datasets::ThroughputTable table(hadar_data("throughputs.csv"), "simulation");
  const std::vector<datasets::JobType> cycle = {{"ResNet-18", 128},
                                                {"LM", 80},
                                                {"Transformer", 64},
                                                {"Recommendation", 2048},
                                                {"ResNet-50", 64}};
  std::vector<JobSpec> jobs;
  for (std::size_t i = 0; i < GetParam().jobs; ++i) {
    JobSpec job;
    job.name = to_string(cycle[i % cycle.size()]);
    job.rates = table.rates("mix", cycle[i % cycle.size()], 1, nodes.type_names(), true);
    job.spread_rates = job.rates;
    job.total_steps = 1.5 * 3600.0 * job.rates[0];
    jobs.push_back(job);
  }
  hadar::HadareScheduler fork(0);
  hadar::HadareScheduler whole(1);
  const ForkedSimulationOptions options;

  const double bound = *fork.lower_bound_seconds(nodes, jobs, {});
  for (JobSpec& job : jobs) {
    job.total_steps = std::floor(job.total_steps);
  }
  const ClusterRun forked = simulate_forked(nodes, jobs, fork, options);
  const ClusterRun unforked = simulate_forked(nodes, jobs, whole, options);

  EXPECT_NEAR(bound / 60.0, GetParam().bound_minutes, 1e-4);
  EXPECT_GE(forked.end_seconds, bound - 1.0);  // whole steps lose less than a second
  EXPECT_LT(forked.end_seconds, unforked.end_seconds);
  EXPECT_GT(forked.utilisation, 0.95);
}

INSTANTIATE_TEST_SUITE_P(M,
                         HadareMixes,
                         testing::Values(Mix{1, 36.0227},
                                         Mix{3, 95.3819},
                                         Mix{4, 100.2229},
                                         Mix{5, 133.6691},
                                         Mix{8, 228.8851},
                                         Mix{10, 267.3381},
                                         Mix{12, 329.1080}));

}  // namespace
}  // namespace berth
