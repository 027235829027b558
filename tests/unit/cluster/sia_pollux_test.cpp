// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "linear_program.hpp"
#include "pollux_scheduler.hpp"
#include "sia_scheduler.hpp"
#include "small_clusters.hpp"

namespace berth {
namespace {

using schedulers::LinearProgram;
using schedulers::PolluxOptions;
using schedulers::PolluxScheduler;
using schedulers::SiaOptions;
using schedulers::SiaScheduler;

JobSpec job_on(std::vector<double> rates, std::uint32_t gang = 1) {
  JobSpec spec = job(1e6, 0, gang);
  spec.rates = spec.spread_rates = std::move(rates);
  return spec;
}

std::vector<JobState> states_of(const std::vector<JobSpec>& specs) {
  std::vector<JobState> states(specs.size());
  for (std::size_t id = 0; id < specs.size(); ++id) {
    states[id].id = to_id<JobId>(id);
    states[id].spec = &specs[id];
    states[id].remaining_steps = specs[id].total_steps;
  }
  return states;
}

RoundContext context_of(const Cluster& cluster, const std::vector<JobState>& states, double now) {
  return {cluster, states, {}, {}, 0, 0, now, 360.0, {MixRule::kOff, true, 10.0}};
}

// G = gang x rate / slowest rate = 4 on the fast type: 4^-0.5 = 0.5. At an age of 100 s with two
// restarts of 10 s a move counts (100 - 20) / (100 + 10) of it: (4 x 0.7273)^-0.5 = 0.586. At 15 s
// nothing would be left of a move; below the restart's 10 s age does not count yet.
TEST(Sia, CostsAMoveByTheAgeThatRestartsLeave) {
  const Cluster cluster = datasets::make_cluster("fast:1,slow:1");
  const std::vector<JobSpec> specs = {job_on({8, 2})};
  std::vector<JobState> states = states_of(specs);
  states[0].restarts = 2;
  const SiaScheduler sia(SiaOptions{});
  const auto cost = [&](double age, bool stays) {
    return sia.cost(context_of(cluster, states, age), states[0], 0, stays);
  };

  EXPECT_DOUBLE_EQ(cost(100, true), 0.5);
  EXPECT_DOUBLE_EQ(cost(100, false), 0.59);
  EXPECT_DOUBLE_EQ(cost(15, false), 3000);
  EXPECT_DOUBLE_EQ(cost(5, false), 0.5);
}

// Costs 4^-0.5 + 1 = 1.5 or 1 + 2^-0.5 = 1.71: the job that gains more takes the fast type.
TEST(Sia, GivesTheFastTypeToTheJobThatGainsMost) {
  const Cluster cluster = datasets::make_cluster("fast:1,slow:1");
  const std::vector<JobSpec> specs = {job_on({2, 1}), job_on({4, 1})};
  const std::vector<JobState> states = states_of(specs);
  SiaScheduler sia(SiaOptions{});

  const RoundSchedule round = sia.schedule(context_of(cluster, states, 0));

  ASSERT_EQ(round.assignments.size(), 2U);
  for (const Assignment& assignment : round.assignments) {
    EXPECT_EQ(assignment.gpus.front(), assignment.job == JobId{1} ? GpuId{0} : GpuId{1});
  }
}

// Two single jobs sit on different machines of four; a gang of four needs one of them whole.
TEST(Sia, MovesSmallJobsRatherThanSplitAGangThatFitsAMachine) {
  const Cluster cluster = datasets::make_cluster("a:8/4");
  const std::vector<JobSpec> specs = {job_on({1}), job_on({1}), job_on({4}, 4)};
  std::vector<JobState> states = states_of(specs);
  for (std::size_t id = 0; id < 2; ++id) {
    states[id].ran_last_round = true;
    states[id].first_start_seconds = 0.0;
    states[id].gpus = {to_id<GpuId>(4 * id)};
  }
  SiaScheduler sia(SiaOptions{});

  const RoundSchedule round = sia.schedule(context_of(cluster, states, 360));

  ASSERT_EQ(round.assignments.size(), 3U);
  for (const Assignment& assignment : round.assignments) {
    EXPECT_TRUE(on_one_machine(cluster, assignment.gpus));
  }
}

// All subsets of ten items of a knapsack, by brute force.
TEST(IntegerProgram, EqualsExhaustiveSearch) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    std::vector<double> value(10);
    std::vector<double> weight(10);
    LinearProgram program;
    const int row = program.add_row_at_most(12.0);
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i] = rng.uniform();
      weight[i] = 1.0 + static_cast<double>(rng.below(6));
      program.set(row, program.add_binary(value[i]), weight[i]);
    }
    double best = 0.0;
    for (unsigned set = 0; set < 1024; ++set) {
      double sum = 0.0;
      double load = 0.0;
      for (std::size_t i = 0; i < value.size(); ++i) {
        sum += (set >> i & 1U) != 0 ? value[i] : 0.0;
        load += (set >> i & 1U) != 0 ? weight[i] : 0.0;
      }
      best = load <= 12.0 ? std::max(best, sum) : best;
    }

    const std::vector<double> answer =
        program.solve_binaries(std::vector<double>(value.size(), 0.0), 0.0, 100000);

    double found = 0.0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      found += answer[i] * value[i];
    }
    EXPECT_NEAR(found, best, 1e-9) << "seed " << seed;
  }
}

TEST(IntegerProgram, KeepsItsStartWhereItMayNotSearch) {
  LinearProgram program;
  const int row = program.add_row_at_most(3.0);
  for (const double value : {2.0, 1.9, 1.9}) {
    program.set(row, program.add_binary(value), 2.0 - 0.5 * (value < 2.0 ? 1.0 : 0.0));
  }

  const std::vector<double> answer = program.solve_binaries({1.0, 0.0, 0.0}, 0.0, 0);

  EXPECT_GE(2.0 * answer[0] + 1.9 * (answer[1] + answer[2]), 2.0);
}

std::vector<JobSpec> crowd() {
  std::vector<JobSpec> specs;
  for (std::size_t i = 0; i < 12; ++i) {
    specs.push_back(job_on({1.0 + static_cast<double>(i % 3), 1.0}, i % 4 == 3 ? 6 : 1U << i % 3));
    specs.back().spread_rates = {0.5, 0.5};
  }
  return specs;
}

TEST(Pollux, GivesWholeGangsAndLetsOneJobAMachineSpanSeveral) {
  const Cluster cluster = datasets::make_cluster("a:12/4,b:8/4");
  const std::vector<JobSpec> specs = crowd();
  const std::vector<JobState> states = states_of(specs);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RoundContext context = context_of(cluster, states, 0);
    const RoundSchedule round = PolluxScheduler(PolluxOptions{}, seed).schedule(context);

    EXPECT_NO_THROW(check_round(context, round));
    std::map<MachineId, int> spanning;
    for (const Assignment& assignment : round.assignments) {
      if (!on_one_machine(cluster, assignment.gpus)) {
        std::map<MachineId, int> once;
        for (const GpuId gpu : assignment.gpus) {
          once[cluster.machine_of(gpu)] = 1;
        }
        for (const auto& [machine, one] : once) {
          spanning[machine] += one;
        }
      }
    }
    for (const auto& [machine, count] : spanning) {
      EXPECT_LE(count, 1) << "machine " << index(machine);
    }
  }
}

TEST(Pollux, RepeatsItselfForASeed) {
  const Cluster cluster = datasets::make_cluster("a:12/4,b:8/4");
  const std::vector<JobSpec> specs = crowd();
  const std::vector<JobState> states = states_of(specs);
  const RoundContext context = context_of(cluster, states, 0);

  EXPECT_EQ(PolluxScheduler(PolluxOptions{}, 7).schedule(context),
            PolluxScheduler(PolluxOptions{}, 7).schedule(context));
}

// Every job alone is worth its share of the cluster; to move one costs a tenth of its worth.
TEST(Pollux, LeavesJobsWhereTheyAreWhenThereIsNothingToGain) {
  const Cluster cluster = datasets::make_cluster("a:4/2");
  const std::vector<JobSpec> specs(6, job_on({1}));
  ClusterSimulationOptions options = free_moves();
  PolluxScheduler pollux(PolluxOptions{}, 3);

  const ClusterRun run =
      simulate_cluster(cluster, std::vector<JobSpec>(6, job(1000)), pollux, options);

  for (const JobRecord& record : run.jobs) {
    EXPECT_EQ(record.restarts, 0U);
  }
}

}  // namespace
}  // namespace berth
