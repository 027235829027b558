// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

/// The makespan under `pull`, by the fast path and by a trace.
double pull(const Graph& graph,
            const std::vector<unsigned>& devices,
            std::uint32_t streams = 1,
            Trace* trace = nullptr) {
  ExecutionOptions execution = under(ExecutionModel::kPull);
  execution.streams = streams;
  const auto problem = uniform_problem(graph, 3, execution);
  Simulator simulator(*problem);
  const Trace found = simulator.trace({on_devices(devices), {}});
  const double makespan = simulator.makespan(on_devices(devices));
  EXPECT_EQ(found.makespan, makespan);
  if (trace != nullptr) {
    *trace = found;
  }
  return makespan;
}

TEST(Pull, ACopyWaitsForTheOpThatRunsAndHoldsTheDestination) {
  // 2 (3) runs on device 1 in [0,3); the copy of 0 (1), requested at 1, takes 4: [3,7); 1: [7,8).
  // `delay` would have it at 5.
  const Graph graph = small_graph({1, 1, 3}, {{0, 1, 4}});
  Trace trace;

  EXPECT_EQ(pull(graph, {0, 1, 1}, 1, &trace), 8.0);

  ASSERT_EQ(trace.transfers.size(), 1U);
  EXPECT_EQ(trace.transfers[0].request, 1.0);
  EXPECT_EQ(trace.transfers[0].start, 3.0);
  EXPECT_EQ(trace.transfers[0].finish, 7.0);
}

TEST(Pull, ACopyGoesBeforeOpsThatWaitedLonger) {
  // Device 1: 2 (2) in [0,2), then the copy of 0, requested at 1: [2,6); then 3 (2), ready since
  // 0: [6,8), before 1 (1), ready since 6: [8,9).
  const Graph graph = small_graph({1, 1, 2, 2}, {{0, 1, 4}});
  Trace trace;

  EXPECT_EQ(pull(graph, {0, 1, 1, 1}, 1, &trace), 9.0);

  EXPECT_EQ(trace.ops[3].start, 6.0);
  EXPECT_EQ(trace.ops[1].start, 8.0);
}

TEST(Pull, CostsTheSourceNothing) {
  // Device 0: 0 (1), then 2 (5) in [1,6). Device 1: copy [1,5), 1 (1) in [5,6).
  EXPECT_EQ(pull(small_graph({1, 1, 5}, {{0, 1, 4}, {0, 2, 9}}), {0, 1, 0}), 6.0);
}

TEST(Pull, OneCopyAsLongAsTheLongestEdgeServesAllConsumersOfADevice) {
  // 0 (1) feeds 1 over 2 and 2 over 5 on device 1: [1,6); then 1 and 2 in turn: 8.
  EXPECT_EQ(pull(small_graph({1, 1, 1}, {{0, 1, 2}, {0, 2, 5}}), {0, 1, 1}), 8.0);
  // On two devices both are copied at once, for 2 and for 5: 3 + 1 and 6 + 1.
  EXPECT_EQ(pull(small_graph({1, 1, 1}, {{0, 1, 2}, {0, 2, 5}}), {0, 1, 2}), 7.0);
}

TEST(Pull, CopiesOfADeviceGoByTheEndOfTheirProducer) {
  // 1 on device 2 ends at 1: its copy to device 1 takes [1,3). 0 on device 0 ends at 2: [3,6).
  // Then 3, ready since 3: [6,7), and 2, ready since 6: [7,8).
  Trace trace;

  EXPECT_EQ(pull(small_graph({2, 1, 1, 1}, {{0, 2, 3}, {1, 3, 2}}), {0, 2, 1, 1}, 1, &trace), 8.0);

  EXPECT_EQ(trace.transfers[0].producer, OpId{1});
  EXPECT_EQ(trace.transfers[1].start, 3.0);
  EXPECT_EQ(trace.ops[3].start, 6.0);
}

TEST(Pull, ACopyHoldsOneStreamOfSeveral) {
  // Two streams on device 1: 2 (2) and 3 (2) in [0,2). At 2 the copy of 0 takes one until 6, and
  // 4 (3) the other until 5; 1 (1) in [6,7).
  Trace trace;

  EXPECT_EQ(pull(small_graph({1, 1, 2, 2, 3}, {{0, 1, 4}}), {0, 1, 1, 1, 1}, 2, &trace), 7.0);

  EXPECT_EQ(trace.ops[4].start, 2.0);
  EXPECT_EQ(trace.ops[1].start, 6.0);
}

TEST(Pull, OnOneDeviceIsTheSumOfItsOps) {
  EXPECT_EQ(pull(small_graph({1, 2, 3}, {{0, 1, 4}, {1, 2, 9}}), {2, 2, 2}), 6.0);
}

/// An op of 12 flops that touches 40 bytes.
OpSpec counted(const std::string& kind) {
  OpSpec op;
  op.kind = kind;
  op.work = 12.0;
  op.touched_bytes = 40.0;
  return op;
}

TEST(OpRates, ReplaceTheDevicesNumbersForOpsOfTheirName) {
  // The device: max(12 / 6, 40 / 10) + 1 = 5. "sum": max(12 / 4, 40 / 20) + 0.5 = 3.5.
  // "copy": memory costs nothing: 12 / 2 + 0 = 6.
  GraphBuilder graph("rates");
  graph.cost_basis(CostBasis::kPhysical);
  graph.add_op(counted("other"));
  graph.add_op(counted("sum"));
  graph.add_op(counted("copy"));
  TopologyBuilder topology("one");
  DeviceSpec device;
  device.peak = FlopsPerSecond{6.0};
  device.memory_bandwidth = BytesPerSecond{10.0};
  device.launch_overhead = Seconds{1.0};
  device.op_rates = {
      {"sum", FlopsPerSecond{4.0}, BytesPerSecond{20.0}, Seconds{0.5}},
      {"copy", FlopsPerSecond{2.0}, BytesPerSecond{0.0}, Seconds{0.0}},
  };
  topology.add_device(device);

  const auto problem = make_problem("rates", graph.freeze(), topology.freeze(), {});

  EXPECT_EQ(problem->costs.compute(OpId{0}, DeviceId{0}), 5.0);
  EXPECT_EQ(problem->costs.compute(OpId{1}, DeviceId{0}), 3.5);
  EXPECT_EQ(problem->costs.compute(OpId{2}, DeviceId{0}), 6.0);
  EXPECT_EQ(Simulator(*problem).makespan(on_devices({0, 0, 0})), 14.5);
}

TEST(OpRates, OfAShapeGoBeforeThoseOfItsFunction) {
  // 12 flops: 12 / 4 for any "contract", 12 / 6 + 3 for the shape; the device's own 12 / 1.
  GraphBuilder graph("rates");
  graph.cost_basis(CostBasis::kPhysical);
  for (const char* kernel : {"contract s0:128 t0:256 / d0:64 ; sd@0 ; td@0",
                             "contract s128:256 t0:256 / d0:64 *0.5 ; sd@0 ; td@0",
                             "contract s0:128 d0:64 / t0:256 ; st@0 ; td@0",
                             "exp s0:128 ; s@0"}) {
    OpSpec op = counted("einsummable");
    op.kernel = kernel;
    graph.add_op(op);
  }
  TopologyBuilder topology("one");
  DeviceSpec device;
  device.op_rates = {
      {"contract", FlopsPerSecond{4.0}, BytesPerSecond{0.0}, Seconds{0.0}},
      {"contract s128 t256 / d64", FlopsPerSecond{6.0}, BytesPerSecond{0.0}, Seconds{3.0}},
  };
  topology.add_device(device);

  const auto problem = make_problem("rates", graph.freeze(), topology.freeze(), {});

  EXPECT_EQ(problem->costs.compute(OpId{0}, DeviceId{0}), 5.0);
  EXPECT_EQ(problem->costs.compute(OpId{1}, DeviceId{0}), 5.0);
  EXPECT_EQ(problem->costs.compute(OpId{2}, DeviceId{0}), 3.0);
  EXPECT_EQ(problem->costs.compute(OpId{3}, DeviceId{0}), 12.0);
}

TEST(OpRates, TellDevicesApart) {
  // Alike but for the rate of "sum": 12 / 6 on the one, 12 / 3 on the other.
  GraphBuilder graph("rates");
  graph.cost_basis(CostBasis::kPhysical);
  graph.add_op(counted("sum"));
  TopologyBuilder topology("two");
  DeviceSpec device;
  device.peak = FlopsPerSecond{6.0};
  topology.add_device(device);
  device.op_rates = {{"sum", FlopsPerSecond{3.0}, BytesPerSecond{0.0}, Seconds{0.0}}};
  topology.add_device(device);
  topology.route(
      DeviceId{0}, DeviceId{1}, {topology.add_link({"a", BytesPerSecond{1.0}, Seconds{0.0}})});
  topology.route(
      DeviceId{1}, DeviceId{0}, {topology.add_link({"b", BytesPerSecond{1.0}, Seconds{0.0}})});

  const auto problem = make_problem("rates", graph.freeze(), topology.freeze(), {});
  Simulator simulator(*problem);

  EXPECT_EQ(problem->costs.num_classes, 2U);
  EXPECT_EQ(simulator.makespan(on_devices({0})), 2.0);
  EXPECT_EQ(simulator.makespan(on_devices({1})), 4.0);
}

}  // namespace
}  // namespace berth
