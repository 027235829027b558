// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

TEST(Links, ACopyEngineServesOneTransferAtATime) {
  // 0 (1) feeds 1 on device 1 over 4 and 2 on device 2 over 3: one engine out of device 0.
  // Requests at 1, destination 1 first: [1,5), then [5,8). Op 1 (1): [5,6); op 2 (1): [8,9).
  const Graph graph = small_graph({1, 1, 1}, {{0, 1, 4}, {0, 2, 3}});
  const auto problem = uniform_problem(graph, 3, under(ExecutionModel::kLinks));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 2}), {}});
  EXPECT_EQ(trace.makespan, 9.0);
  ASSERT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.transfers[0].start, 1.0);
  EXPECT_EQ(trace.transfers[1].start, 5.0);
  EXPECT_EQ(trace.transfers[1].request, 1.0);
  EXPECT_EQ(trace.transfers[1].finish, 8.0);
  EXPECT_EQ(simulator.makespan(on_devices({0, 1, 2})), 9.0);
}

TEST(Links, OneTransferServesAllConsumersOnADevice) {
  // 0 (1) feeds 1 over 2 and 2 over 5, both on device 1: one transfer of 5, [1,6).
  const Graph graph = small_graph({1, 1, 1}, {{0, 1, 2}, {0, 2, 5}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kLinks));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 1}), {}});
  ASSERT_EQ(trace.transfers.size(), 1U);
  EXPECT_EQ(trace.transfers[0].consumer, OpId{1});
  EXPECT_EQ(trace.transfers[0].finish, 6.0);
  EXPECT_EQ(trace.makespan, 8.0);
}

TEST(Links, AnEarlierRequestHoldsItsTurnOnEveryResource) {
  // Requests: 0 -> dev 2 at 1 for 5; 1 (2) on device 1 -> dev 2 at 2 for 1: the engine into
  // device 2 is taken until 6, so [6,7). 4 (3) on device 1 -> dev 3 at 5 for 2: the engine out of
  // device 1 is promised to the earlier request until 7, so [7,9).
  const Graph graph = small_graph({1, 2, 1, 1, 3, 1}, {{0, 2, 5}, {1, 3, 1}, {4, 5, 2}});
  const auto problem = uniform_problem(graph, 4, under(ExecutionModel::kLinks));
  Simulator simulator(*problem);
  const auto placement = on_devices({0, 1, 2, 2, 1, 3});

  const Trace trace = simulator.trace({placement, {}});
  ASSERT_EQ(trace.transfers.size(), 3U);
  EXPECT_EQ(trace.transfers[1].producer, OpId{1});
  EXPECT_EQ(trace.transfers[1].start, 6.0);
  EXPECT_EQ(trace.transfers[2].producer, OpId{4});
  EXPECT_EQ(trace.transfers[2].request, 5.0);
  EXPECT_EQ(trace.transfers[2].start, 7.0);
  EXPECT_EQ(trace.makespan, 10.0);
  EXPECT_EQ(simulator.makespan(placement), 10.0);
}

TEST(Links, InAndOutEnginesWorkAtTheSameTime) {
  // 0 on device 0 -> 2 on device 1, 1 on device 1 -> 3 on device 0, both [1,5).
  const Graph graph = small_graph({1, 1, 1, 1}, {{0, 2, 4}, {1, 3, 4}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kLinks));
  Simulator simulator(*problem);

  EXPECT_EQ(simulator.makespan(on_devices({0, 1, 1, 0})), 6.0);
}

TEST(Links, ASharedBusServesOneTransferAtATime) {
  // mixed_bus: 0 (1) on device 0 -> 1 on device 1 over 3: 0.5 + 3 = 3.5, [1, 4.5).
  // 2 (1) on device 1 takes 2, -> 3 on device 0 over 3: the bus is busy until 4.5: [4.5, 8).
  const Graph graph = small_graph({1, 1, 1, 1}, {{0, 1, 3}, {2, 3, 3}});
  const auto problem = make_problem("bus", graph, mixed_bus(), under(ExecutionModel::kLinks));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 1, 0}), {}});
  ASSERT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.transfers[0].finish, 4.5);
  EXPECT_EQ(trace.transfers[1].request, 2.0);
  EXPECT_EQ(trace.transfers[1].start, 4.5);
  EXPECT_EQ(trace.makespan, 9.0);
  EXPECT_EQ(simulator.makespan(on_devices({0, 1, 1, 0})), 9.0);
}

TEST(Fair, ALoneTransferTakesWhatDelaySays) {
  const Graph graph = small_graph({2, 3}, {{0, 1, 5}});
  const auto problem = make_problem("fair", graph, mixed_bus(), under(ExecutionModel::kFair));
  Simulator simulator(*problem);

  // 2 + (0.5 + 5) + 3 on device 1 (twice as slow: 6).
  EXPECT_EQ(simulator.makespan(on_devices({0, 1})), 13.5);
}

TEST(Fair, TransfersThatMeetShareTheLink) {
  // Same pair of devices, link of speed 1. 0 (1) sends 6 from 1; 1 (2) sends 2, from 3 (device 0
  // runs one op after the other): both at half speed from 3. At 3 the first has 4 left; the
  // second needs 4 time units: ends at 7, when the first has 2 left: alone again, ends at 9.
  const Graph graph = small_graph({1, 2, 1, 1}, {{0, 2, 6}, {1, 3, 2}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kFair));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 0, 1, 1}), {}});
  ASSERT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.transfers[0].finish, 9.0);
  EXPECT_EQ(trace.transfers[1].finish, 7.0);
  EXPECT_EQ(trace.ops[3].start, 7.0);
  EXPECT_EQ(trace.makespan, 10.0);
}

TEST(Fair, AFlowBoundElsewhereLeavesItsShareToOthers) {
  // Links: x (speed 4 of 4) shared by both routes, y (speed 1 of 4) only on the way to device 2.
  // Sizes are times on the fastest link. To device 1: 6; to device 2: 2, at most at rate 1/4.
  // Max-min: the flow over y gets 1/4, the other 3/4. Both start at 1: the second needs 8, ends
  // at 9; the first needs 6 / (3/4) = 8, ends at 9 as well.
  TopologyBuilder builder;
  for (int d = 0; d < 3; ++d) {
    builder.add_device({});
  }
  const LinkId x = builder.add_link({"x", BytesPerSecond{4.0}, Seconds{0.0}});
  const LinkId y = builder.add_link({"y", BytesPerSecond{1.0}, Seconds{0.0}});
  for (unsigned a = 0; a < 3; ++a) {
    for (unsigned b = 0; b < 3; ++b) {
      if (a != b) {
        builder.route(to_id<DeviceId>(a),
                      to_id<DeviceId>(b),
                      b == 2 ? std::vector<LinkId>{x, y} : std::vector<LinkId>{x});
      }
    }
  }
  const Graph graph = small_graph({1, 1, 1}, {{0, 1, 6}, {0, 2, 2}});
  const auto problem = make_problem("fair", graph, builder.freeze(), under(ExecutionModel::kFair));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 2}), {}});
  ASSERT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.transfers[0].finish, 9.0);
  EXPECT_EQ(trace.transfers[1].finish, 9.0);
}

TEST(Fair, LatencyPassesBeforeAnythingIsShared) {
  // mixed_bus, size 4 each from device 0 at 1: both wait until 1.5 (to device 1), 1.75 (to 2).
  // From 1.5 to 1.75 the first is alone on the bus: 0.25 served, 3.75 left. Then max-min: the
  // second is bound by the side link at 2 / 8 = 1/4, the first gets 3/4: 3.75 / 0.75 = 5, ends at
  // 6.75; the second needs 4 / (1/4) = 16, ends at 17.75.
  const Graph graph = small_graph({1, 1, 1}, {{0, 1, 4}, {0, 2, 4}});
  const auto problem = make_problem("fair", graph, mixed_bus(), under(ExecutionModel::kFair));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 2}), {}});
  ASSERT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.transfers[0].start, 1.5);
  EXPECT_EQ(trace.transfers[0].finish, 6.75);
  EXPECT_EQ(trace.transfers[1].start, 1.75);
  EXPECT_EQ(trace.transfers[1].finish, 17.75);
}

TEST(Fair, OneTransferServesAllConsumersOnADeviceAndEmptyOnesArriveAtOnce) {
  const Graph graph = small_graph({1, 1, 1, 1}, {{0, 1, 2}, {0, 2, 5}, {0, 3, 0}});
  const auto problem = uniform_problem(graph, 3, under(ExecutionModel::kFair));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 1, 2}), {}});
  EXPECT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.ops[3].start, 1.0);
  EXPECT_EQ(trace.makespan, 8.0);
}

}  // namespace
}  // namespace berth
