// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "example_problems.hpp"
#include "random_devices.hpp"
#include "round_robin.hpp"
#include "single_device.hpp"

namespace berth::baselines {
namespace {

Placement place(PlacementPolicy& policy, const PlacementProblem& problem, std::uint64_t seed = 1) {
  Evaluator evaluator(problem);
  Rng rng(seed);
  return policy.place(problem, evaluator, rng);
}

TEST(SingleDevice, TakesTheDeviceWithTheLeastTotalTime) {
  const auto problem = ten_tasks(Discipline::kFifo);

  // Column sums of the example: 127, 130, 143.
  EXPECT_EQ(makespan_of(*make_policy(make_single_device), *problem), 127.0);
  EXPECT_EQ(place(*make_policy(make_single_device), *problem).device,
            std::vector<DeviceId>(10, DeviceId{0}));
}

TEST(SingleDevice, SaysWhenNoDeviceRunsEveryOp) {
  GraphBuilder builder("split");
  for (const std::vector<double>& time : {std::vector<double>{1, kCannotRun}, {kCannotRun, 1}}) {
    OpSpec op;
    op.device_time = time;
    builder.add_op(op);
  }
  const auto problem = make_problem("split", builder.freeze(), Topology::uniform(2), {});

  EXPECT_THROW(static_cast<void>(place(*make_policy(make_single_device), *problem)), SolverError);
}

TEST(RoundRobin, DealsOpsOutByIdOrInKahnsOrder) {
  // Kahn's order of 2 -> 1 -> 0 is 2, 1, 0.
  const auto problem = identical_problem({1, 1, 1}, {{2, 1, 0}, {1, 0, 0}}, 2);

  EXPECT_EQ(place(*make_policy(make_round_robin, kRoundRobinOptions), *problem).device,
            (std::vector<DeviceId>{DeviceId{0}, DeviceId{1}, DeviceId{0}}));
  const auto three = identical_problem({1, 1, 1}, {{2, 1, 0}, {1, 0, 0}}, 3);
  EXPECT_EQ(
      place(*make_policy(make_round_robin, kRoundRobinOptions, {{"order", "kahn"}}), *three).device,
      (std::vector<DeviceId>{DeviceId{2}, DeviceId{1}, DeviceId{0}}));
}

TEST(RoundRobin, PassesOnToTheNextDeviceThatCanRunTheOp) {
  GraphBuilder builder("picky");
  for (const std::vector<double>& time : {std::vector<double>{kCannotRun, 1, 1}, {1, 1, 1}}) {
    OpSpec op;
    op.device_time = time;
    builder.add_op(op);
  }
  const auto problem = make_problem("picky", builder.freeze(), Topology::uniform(3), {});

  EXPECT_EQ(place(*make_policy(make_round_robin, kRoundRobinOptions), *problem).device,
            (std::vector<DeviceId>{DeviceId{1}, DeviceId{1}}));
}

TEST(Random, DependsOnTheSeedAlone) {
  const auto problem = identical_problem(std::vector<double>(64, 1.0), {}, 4);
  const auto policy = make_policy(make_random);

  EXPECT_EQ(place(*policy, *problem, 7), place(*policy, *problem, 7));
  EXPECT_NE(place(*policy, *problem, 7), place(*policy, *problem, 8));
}

}  // namespace
}  // namespace berth::baselines
