// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_run.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "berth/memory_packing.hpp"
#include "berth/topology.hpp"

#include "annealing.hpp"
#include "problem_arguments.hpp"
#include "search_start.hpp"
#include "tests/random_edges.hpp"
#include "tests/unit/baselines/example_problems.hpp"

// What `--refine` promises: see refine() in policy_run.hpp.
namespace berth::launcher {
namespace {

using baselines::kAnnealingOptions;
using baselines::make_annealing;
using baselines::make_policy;
using baselines::SilentLogger;

constexpr std::uint64_t kBudget = 60;

std::shared_ptr<const PlacementProblem> random_problem(std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder("random-" + std::to_string(seed));
  const std::size_t ops = 4 + rng.below(30);
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.work = 1.0 + static_cast<double>(rng.below(5));
    builder.add_op(op);
  }
  berth::testing::add_random_edges(builder, ops, rng);
  ExecutionOptions execution;
  execution.discipline = seed % 2 == 0 ? Discipline::kFifo : Discipline::kAuto;
  return make_problem("random", builder.freeze(), Topology::uniform(2 + seed % 3), execution);
}

/// A run of a policy that answers with random devices.
PolicyRun random_run(const PlacementProblem& problem, std::uint64_t seed) {
  Rng rng(seed);
  PolicyRun run;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    run.placement.device.push_back(to_id<DeviceId>(rng.below(problem.costs.num_devices)));
  }
  run.result.makespan = Simulator(problem).makespan(run.placement.device);
  run.result.simulations = 1;
  return run;
}

PolicyRun refined(const PlacementProblem& problem, PolicyRun run, std::uint64_t seed) {
  const auto annealing = make_policy(make_annealing, kAnnealingOptions);
  refine(problem, *annealing, "annealing", {kBudget, 0.0}, seed, run);
  return run;
}

PolicyRun annealed(const PlacementProblem& problem, std::uint64_t seed) {
  const auto annealing = make_policy(make_annealing, kAnnealingOptions);
  return run_policy(problem, *annealing, "annealing", {kBudget, 0.0}, seed);
}

double best_start(const PlacementProblem& problem) {
  Evaluator starts(problem);
  baselines::search_start(starts);
  return starts.best_makespan();
}

TEST(SearchStart, HoldsTheRangesOfEnumerativeOptimizer) {
  // README of the baselines: ranges reach the lower bound of FFNN, the list schedulers 84.18.
  SilentLogger logger;
  ExecutionOptions execution;
  execution.discipline = Discipline::kFifo;
  const auto problem =
      load_problem("workload:ffnn:4", "uniform:4", execution, std::nullopt, logger);

  EXPECT_NEAR(best_start(*problem), 56.70e10, 0.01e10);
}

TEST(Refine, IsNeverWorseThanThePlacementGivenNorAnyStartOfAnnealing) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = random_problem(seed);
    const PolicyRun given = random_run(*problem, seed);

    const PolicyRun after = refined(*problem, given, seed);

    EXPECT_LE(after.result.makespan, given.result.makespan) << seed;
    EXPECT_LE(after.result.makespan, best_start(*problem)) << seed;
    EXPECT_EQ(after.result.makespan, Simulator(*problem).makespan(after.placement)) << seed;
    EXPECT_LE(after.result.simulations, given.result.simulations + kBudget) << seed;
  }
}

TEST(Refine, EqualsAnnealingAloneWhereThePlacementGivenIsNoBetterStart) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = random_problem(seed);
    const PolicyRun given = random_run(*problem, seed);
    if (given.result.makespan <= best_start(*problem)) {
      continue;
    }
    ++compared;

    const PolicyRun after = refined(*problem, given, seed);
    const PolicyRun alone = annealed(*problem, seed);

    EXPECT_EQ(after.placement, alone.placement) << seed;
    EXPECT_EQ(after.result.makespan, alone.result.makespan) << seed;
    EXPECT_EQ(after.result.simulations, alone.result.simulations + 1) << seed;
  }
  EXPECT_GT(compared, 50U);
}

TEST(Refine, KeepsABetterPlacementThanAnnealingFinds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = random_problem(seed);
    PolicyRun best = annealed(*problem, seed + 1000);
    for (std::uint64_t other = 0; other < 3; ++other) {
      best = refined(*problem, best, other);
    }

    EXPECT_LE(refined(*problem, best, seed).result.makespan, best.result.makespan) << seed;
  }
}

/// Two ops of 2 bytes and one of 1, on two devices of `capacity` bytes each.
std::shared_ptr<const PlacementProblem> three_ops(double capacity) {
  GraphBuilder builder("three");
  for (const double bytes : {2.0, 2.0, 1.0}) {
    OpSpec op;
    op.work = 1.0;
    op.memory_bytes = bytes;
    builder.add_op(op);
  }
  TopologyBuilder devices("two");
  for (int d = 0; d < 2; ++d) {
    DeviceSpec device;
    device.memory = Bytes{capacity};
    devices.add_device(device);
  }
  for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 0}}) {
    const LinkId link = devices.add_link({from == 0 ? "there" : "back", {1.0}, {0.0}});
    devices.route(to_id<DeviceId>(from), to_id<DeviceId>(to), {link});
  }
  return make_problem("three", builder.freeze(), devices.freeze(), {});
}

TEST(MemoryPacking, IsToldFromOtherPlacements) {
  const auto problem = three_ops(3.0);
  const Placement packing{pack_into_memory(*problem), {}};
  Placement swapped = packing;
  for (DeviceId& device : swapped.device) {
    device = to_id<DeviceId>(1 - index(device));
  }

  EXPECT_TRUE(is_memory_packing(*problem, packing));
  EXPECT_FALSE(is_memory_packing(*problem, swapped));
}

TEST(MemoryPacking, IsNotSpokenOfWhereEverythingFitsOnEveryDevice) {
  const auto problem = three_ops(5.0);

  EXPECT_FALSE(is_memory_packing(*problem, {pack_into_memory(*problem), {}}));
}

TEST(MemoryPacking, ThatIsNotFoundIsNoFault) {
  const auto problem = three_ops(2.5);  // 5 bytes on 5, but no device takes a 2 and the 1

  EXPECT_FALSE(is_memory_packing(*problem, {std::vector<DeviceId>(3, to_id<DeviceId>(0)), {}}));
}

}  // namespace
}  // namespace berth::launcher
