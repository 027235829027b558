// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Delay, ATransferIsAPureDelayFromTheEndOfItsProducer) {
  // 0 (2) -> 1 (3) over 5; 0 -> 2 (1) over 4, both consumers remote: no contention.
  const Graph graph = small_graph({2, 3, 1}, {{0, 1, 5}, {0, 2, 4}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  // 0 ends at 2; 2 is ready at 6 and runs to 7; 1 is ready at 7 and runs to 10.
  const Trace trace = simulator.trace({on_devices({0, 1, 1}), {}});
  EXPECT_EQ(trace.makespan, 10.0);
  EXPECT_EQ(trace.ops[2].start, 6.0);
  EXPECT_EQ(trace.ops[1].ready, 7.0);
  ASSERT_EQ(trace.transfers.size(), 2U);
  EXPECT_EQ(trace.transfers[0].consumer, OpId{1});
  EXPECT_EQ(trace.transfers[0].finish, 7.0);
  EXPECT_EQ(trace.transfers[1].finish, 6.0);
  // On one device nothing is transferred: 2 + 3 + 1.
  EXPECT_EQ(simulator.makespan(on_devices({0, 0, 0})), 6.0);
}

TEST(Delay, FifoServesByReadyTimeThenById) {
  // All on device 1 but the producers 0 (1) and 1 (2). 2 and 3 wait for 1 (ready at 2), 4 for 0
  // (ready at 1). Op 5 occupies device 1 until 3. Then 4 goes first, then 2 before 3.
  const Graph graph = small_graph({1, 2, 1, 1, 1, 3}, {{1, 2, 0}, {1, 3, 0}, {0, 4, 0}});
  const auto problem = uniform_problem(graph, 3, under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 2, 1, 1, 1, 1}), {}});
  EXPECT_EQ(trace.ops[4].start, 3.0);
  EXPECT_EQ(trace.ops[2].start, 4.0);
  EXPECT_EQ(trace.ops[3].start, 5.0);
}

TEST(Delay, CompletionsOfAnInstantCountBeforeStarts) {
  // 0 (2) on device 0 frees op 1 for device 1 at time 2, when op 3 of device 1 ends too. Op 2 has
  // waited there since 0, so it goes first; among ops ready at one instant the lower id would.
  const Graph graph = small_graph({2, 1, 1, 2}, {{0, 1, 0}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 1, 1, 1}), {}});
  EXPECT_EQ(trace.ops[2].start, 0.0);  // id 2 before id 3, both ready at 0
  EXPECT_EQ(trace.ops[3].start, 1.0);
  EXPECT_EQ(trace.ops[1].start, 3.0);
}

TEST(Delay, OpsThatTakeNoTimeRunAndReleaseTheirSuccessors) {
  // 0 (0) -> 1 (0) -> 2 (4); 3 (1) is ready at 0 too. Device 0 starts 0 at 0 (ids 0 < 3), ends at
  // 0, so 1 is ready at 0: id 1 before 3; then 2 (id 2, ready 0) before 3.
  const Graph graph = small_graph({0, 0, 4, 1}, {{0, 1, 9}, {1, 2, 9}});
  const auto problem = uniform_problem(graph, 2, under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 0, 0, 0}), {}});
  EXPECT_EQ(trace.makespan, 5.0);
  EXPECT_EQ(trace.ops[2].start, 0.0);
  EXPECT_EQ(trace.ops[3].start, 4.0);
}

TEST(Delay, StreamsRunSoManyOpsAtOnce) {
  const Graph graph = small_graph({3, 3, 2}, {});
  ExecutionOptions execution = under(ExecutionModel::kDelay);
  execution.streams = 2;
  const auto problem = uniform_problem(graph, 1, execution);
  Simulator simulator(*problem);

  const Trace trace = simulator.trace({on_devices({0, 0, 0}), {}});
  EXPECT_EQ(trace.makespan, 5.0);
  EXPECT_EQ(trace.ops[0].stream, 0U);
  EXPECT_EQ(trace.ops[1].stream, 1U);
  EXPECT_EQ(trace.ops[2].start, 3.0);
  EXPECT_EQ(trace.ops[2].stream, 0U);
}

TEST(Delay, SlowDevicesAndLinksStretchTimes) {
  // mixed_bus: op of 2 takes 2, 4, 8 on devices 0, 1, 2; size 4 takes 0.5 + 4 between 0 and 1 and
  // 0.75 + 4 * 8 / 2 = 16.75 to device 2.
  const Graph graph = small_graph({2, 2}, {{0, 1, 4}});
  const auto problem = make_problem("mixed", graph, mixed_bus(), under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  EXPECT_EQ(simulator.makespan(on_devices({0, 1})), 2 + 4.5 + 4);
  EXPECT_EQ(simulator.makespan(on_devices({1, 2})), 4 + 16.75 + 8);
  EXPECT_EQ(simulator.makespan(on_devices({2, 2})), 16.0);
}

TEST(Delay, AnIllegalPlacementIsInfiniteOnTheFastPathAndAnErrorWhenChecked) {
  GraphBuilder builder;
  OpSpec op;
  op.work = 1.0;
  op.eligible = {DeviceId{1}};
  builder.add_op(op);
  const auto problem = uniform_problem(builder.freeze(), 2, under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  EXPECT_EQ(simulator.makespan(on_devices({1})), 1.0);
  EXPECT_EQ(simulator.makespan(on_devices({0})), kInfinity);
  EXPECT_THROW(static_cast<void>(simulator.makespan(Placement{on_devices({0}), {}})), InputError);
}

TEST(Delay, MemoryThatOverflowsIsIllegal) {
  GraphBuilder builder;
  OpSpec op;
  op.work = 1.0;
  op.memory_bytes = 6.0;
  builder.add_op(op);
  builder.add_op(op);
  TopologyBuilder devices;
  for (int d = 0; d < 2; ++d) {
    DeviceSpec device;
    device.memory = Bytes{10.0};
    devices.add_device(device);
  }
  const LinkId link = devices.add_link({});
  devices.route(DeviceId{0}, DeviceId{1}, {link}).route(DeviceId{1}, DeviceId{0}, {link});
  const auto problem =
      make_problem("tight", builder.freeze(), devices.freeze(), under(ExecutionModel::kDelay));
  Simulator simulator(*problem);

  EXPECT_EQ(simulator.makespan(on_devices({0, 0})), kInfinity);
  EXPECT_EQ(simulator.makespan(on_devices({0, 1})), 1.0);
}

TEST(Delay, AnEmptyGraphTakesNoTime) {
  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kDopplerReference,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair}) {
    const auto problem = uniform_problem(Graph(), 2, under(model));
    Simulator simulator(*problem);
    EXPECT_EQ(simulator.makespan(on_devices({})), 0.0);
    EXPECT_EQ(simulator.trace({}).makespan, 0.0);
  }
}

TEST(Options, OutOfRangeValuesAreRefusedByName) {
  const Graph graph = small_graph({1}, {});
  ExecutionOptions none;
  none.streams = 0;
  ExecutionOptions loud;
  loud.compute_noise = -1.0;
  for (const auto& [options, words] : {std::pair{none, "0 streams"}, std::pair{loud, "noise of"}}) {
    try {
      PlacementProblem problem;
      problem.graph = graph;
      problem.topology = Topology::uniform(1);
      problem.costs = price(graph, problem.topology);
      problem.execution = options;
      Simulator simulator(problem);
      FAIL() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(Options, TimesWhoseSumOverflowsAreRefused) {
  const Graph graph = small_graph({1e308, 1e308}, {{0, 1, 1e308}});
  PlacementProblem problem;
  problem.graph = graph;
  problem.topology = Topology::uniform(2);
  problem.costs = price(graph, problem.topology);
  EXPECT_THROW(Simulator{problem}, InputError);
}

}  // namespace
}  // namespace berth
