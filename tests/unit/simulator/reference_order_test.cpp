// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

// Device 0 runs 1 (2) and then has, at time 2, op 2 waiting since 0 and op 0's consumer 3...
TEST(DopplerReference, TheFreedDeviceTakesAWaitingOpBeforeOneReleasedByTheSameCompletion) {
  // 0 (2) and 1 (1) on device 0, 2 (1) on device 0 is the consumer of 0 and has a lower id than
  // 3 (1), which waits for op 4 (2) of device 1 over a free transfer. At time 2 op 0 ends and op 1
  // has waited since 0: it goes first under both rules.
  const Graph graph = small_graph({2, 1, 1, 1, 2}, {{0, 2, 0}, {4, 3, 0}});
  const auto placement = on_devices({0, 0, 0, 0, 1});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kDopplerReference));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({placement, {}});
  EXPECT_EQ(trace.ops[1].start, 2.0);
  EXPECT_EQ(trace.ops[2].start, 3.0);
  EXPECT_EQ(trace.ops[3].start, 4.0);
  EXPECT_EQ(simulator.makespan(placement), 5.0);
}

// Ops ready at one instant on an idle device: the reference takes whichever request came first in
// its event sequence, the canonical rule the lower id.
TEST(DopplerReference, RequestsOfAnInstantAreServedInEventOrderNotById) {
  // 0 (1) on device 0 feeds 3, 1 (1) on device 1 feeds 2; both consumers on device 2, transfers
  // free. Done(0) is scheduled before Done(1), so 3 asks first.
  const Graph graph = small_graph({1, 1, 5, 1}, {{0, 3, 0}, {1, 2, 0}});
  const auto placement = on_devices({0, 1, 2, 2});
  const auto reference = uniform_problem(graph, 3, under(ExecutionModel::kDopplerReference));
  const auto canonical = uniform_problem(graph, 3, under(ExecutionModel::kDelay));

  EXPECT_EQ(Simulator(*reference).trace({placement, {}}).ops[3].start, 1.0);
  EXPECT_EQ(Simulator(*reference).trace({placement, {}}).ops[2].start, 2.0);
  EXPECT_EQ(Simulator(*canonical).trace({placement, {}}).ops[2].start, 1.0);
  EXPECT_EQ(Simulator(*canonical).trace({placement, {}}).ops[3].start, 6.0);
}

TEST(DopplerReference, HonoursDisciplinesAndStreams) {
  const Graph graph = small_graph({2, 1, 3, 1}, {{0, 1, 0}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kDopplerReference));
  Simulator simulator(*problem);

  // As under delay: device 1 waits for 1, then 3, then 2.
  EXPECT_EQ(simulator.makespan(on_devices({0, 1, 1, 1}), std::vector<double>{0, 1, 3, 2}), 7.0);
  ExecutionOptions two = under(ExecutionModel::kDopplerReference);
  two.streams = 2;
  const auto wide = uniform_problem(graph, 1, two);
  // 0 [0,2) and 2 [0,3); 3 [2,3) (asked at 0), 1 [3,4).
  EXPECT_EQ(Simulator(*wide).makespan(on_devices({0, 0, 0, 0})), 4.0);
}

}  // namespace
}  // namespace berth
