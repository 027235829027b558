// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "exhaustive.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "device_symmetry.hpp"
#include "example_problems.hpp"
#include "op_twins.hpp"
#include "schedule_bounds.hpp"
#include "visited_states.hpp"

namespace berth::baselines {
namespace {

/// Best simulated makespan over all devices and, unless under fifo, all static orders.
double brute_force(const PlacementProblem& problem) {
  const std::size_t n = problem.graph.num_ops();
  const std::size_t devices = problem.costs.num_devices;
  Simulator simulator(problem);
  double best = kCannotRun;
  std::vector<DeviceId> device(n, DeviceId{0});
  std::size_t assignments = 1;
  for (std::size_t v = 0; v < n; ++v) {
    assignments *= devices;
  }
  for (std::size_t code = 0; code < assignments; ++code) {
    std::size_t rest = code;
    for (DeviceId& d : device) {
      d = to_id<DeviceId>(rest % devices);
      rest /= devices;
    }
    if (problem.execution.discipline == Discipline::kFifo) {
      best = std::min(best, simulator.makespan(device));
      continue;
    }
    std::vector<double> order(n);
    std::iota(order.begin(), order.end(), 0.0);
    do {
      best = std::min(best, simulator.makespan(device, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return best;
}

std::shared_ptr<const PlacementProblem> random_problem(Rng& rng,
                                                       std::size_t ops,
                                                       std::size_t devices,
                                                       Discipline discipline) {
  std::vector<double> work;
  std::vector<ExampleEdge> edges;
  for (std::uint32_t v = 0; v < ops; ++v) {
    work.push_back(static_cast<double>(rng.below(6)));
    for (std::uint32_t u = 0; u < v; ++u) {
      if (rng.below(3) == 0) {
        edges.push_back({u, v, static_cast<double>(rng.below(8))});
      }
    }
  }
  return identical_problem(work, edges, devices, discipline);
}

TEST(Exhaustive, AgreesWithBruteForceOverDevicesAndOrders) {
  Rng rng(11);
  for (int i = 0; i < 40; ++i) {
    const auto problem = random_problem(rng, 5, 2 + rng.below(2), Discipline::kStaticOrder);
    Evaluator evaluator(*problem);

    static_cast<void>(
        make_policy(make_exhaustive, kExhaustiveOptions)->place(*problem, evaluator, rng));

    EXPECT_EQ(evaluator.best_makespan(), brute_force(*problem)) << "graph " << i;
    EXPECT_EQ(evaluator.lower_bound(), evaluator.best_makespan()) << "graph " << i;
  }
}

TEST(Exhaustive, AgreesWithBruteForceOverDevicesUnderFifo) {
  Rng rng(12);
  for (int i = 0; i < 20; ++i) {
    const auto problem = random_problem(rng, 7, 3, Discipline::kFifo);
    Evaluator evaluator(*problem);

    static_cast<void>(
        make_policy(make_exhaustive, kExhaustiveOptions)->place(*problem, evaluator, rng));

    EXPECT_EQ(evaluator.best_makespan(), brute_force(*problem)) << "graph " << i;
    EXPECT_EQ(evaluator.lower_bound(), evaluator.best_makespan()) << "graph " << i;
  }
}

TEST(Exhaustive, ProvesTheTenTaskExampleAt73) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);
  Evaluator evaluator(*problem);
  Rng rng(1);

  const Placement placement =
      make_policy(make_exhaustive, kExhaustiveOptions)->place(*problem, evaluator, rng);

  EXPECT_EQ(Simulator(*problem).makespan(placement), 73.0);
  EXPECT_EQ(evaluator.lower_bound(), 73.0);
}

TEST(Exhaustive, ProvesNothingWithoutTheBudget) {
  Rng rng(4);
  const auto problem = random_problem(rng, 40, 3, Discipline::kStaticOrder);
  Evaluator evaluator(*problem, {.simulations = 300});

  const Placement placement =
      make_policy(make_exhaustive, kExhaustiveOptions)->place(*problem, evaluator, rng);

  EXPECT_NO_THROW(check_placement(*problem, placement));
  EXPECT_EQ(evaluator.lower_bound(), problem->lower_bound);
}

TEST(Exhaustive, RespectsMemory) {
  // Two ops of 2 B; device 0 alone is fastest but holds one: 1 + 4 apart.
  GraphBuilder builder("memory");
  for (int i = 0; i < 2; ++i) {
    OpSpec op;
    op.device_time = {1, 4};
    op.memory_bytes = 2.0;
    builder.add_op(op);
  }
  const auto problem = make_problem("memory", builder.freeze(), two_small_devices(), {});
  Evaluator evaluator(*problem);
  Rng rng(1);

  static_cast<void>(
      make_policy(make_exhaustive, kExhaustiveOptions)->place(*problem, evaluator, rng));

  EXPECT_EQ(evaluator.best_makespan(), 4.0);
  EXPECT_EQ(evaluator.lower_bound(), 4.0);
}

TEST(LeastTimes, TailLetsSuccessorsFollowOnOneDeviceOrTravel) {
  // Op 0 feeds ops of 4 and 6 with transfers of 1 and 20. Both local: 10. The cheap one remote:
  // max(6, 1 + 4) = 6. Both remote: 26.
  const auto problem = identical_problem({1, 4, 6}, {{0, 1, 1}, {0, 2, 20}}, 2);

  const LeastTimes times = least_times(*problem);

  EXPECT_EQ(times.tail, (std::vector<double>{6, 0, 0}));
  EXPECT_TRUE(times.whole);
}

TEST(LeastTimes, JoinComputesTheLatestArrivalsInPlace) {
  // Starts 0 and 1, durations 3 and 5, arrivals 13 and 7. Both travel: 13; the first in place, the
  // second travels: max(3, 7) = 7; both in place: 3 then 8.
  std::vector<PendingInput> inputs = {{1, 5, 7}, {0, 3, 13}};

  EXPECT_EQ(least_join(inputs), 7.0);
}

TEST(DeviceSymmetry, GroupsDevicesThatPriceAndLinkAlike) {
  EXPECT_EQ(interchangeable_devices(identical_problem({1}, {}, 3)->costs),
            (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(interchangeable_devices(ten_tasks(Discipline::kAuto)->costs),
            (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(OpTwins, AreEqualInCostsAndNeighbours) {
  // Ops 1, 2 and 4 follow op 0 with the same work; op 3 differs in work, op 4 in its transfer.
  const auto problem =
      identical_problem({1, 2, 2, 3, 2}, {{0, 1, 5}, {0, 2, 5}, {0, 3, 5}, {0, 4, 6}}, 2);

  EXPECT_EQ(op_twins(*problem), (std::vector<std::uint32_t>{0, 1, 1, 3, 4}));
}

TEST(VisitedStates, RemembersThroughGrowthAndForgetsWhenFull) {
  VisitedStates states(10'000);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(states.insert({mix64(i), i}));
  }
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(states.insert({mix64(i), i}));
  }

  EXPECT_TRUE(states.insert({1, 1}));
  EXPECT_TRUE(states.insert({1, 1}));
  EXPECT_EQ(states.size(), 10'000U);
}

}  // namespace
}  // namespace berth::baselines
