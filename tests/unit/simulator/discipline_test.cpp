// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

// Op 0 (2) on device 0 feeds 1 (1) on device 1, which is ready at 2. Ops 2 (3) and 3 (1) of
// device 1 are ready at 0.
Graph late_first() {
  return small_graph({2, 1, 3, 1}, {{0, 1, 0}});
}

TEST(Discipline, AStaticOrderWaitsForItsNextOp) {
  const auto problem = uniform_problem(late_first(), 2, under(ExecutionModel::kDelay));
  Simulator simulator(*problem);
  const std::vector<double> order = {0, 1, 3, 2};

  // Device 1 idles until 2, then 1 [2,3), 3 [3,4), 2 [4,7).
  const Trace trace = simulator.trace({on_devices({0, 1, 1, 1}), order});
  EXPECT_EQ(trace.ops[1].start, 2.0);
  EXPECT_EQ(trace.ops[3].start, 3.0);
  EXPECT_EQ(trace.ops[2].start, 4.0);
  EXPECT_EQ(trace.makespan, 7.0);
}

TEST(Discipline, PriorityNeverIdlesWhileSomethingIsReady) {
  const auto problem =
      uniform_problem(late_first(), 2, under(ExecutionModel::kDelay, Discipline::kPriority));
  Simulator simulator(*problem);
  const std::vector<double> order = {0, -1, 3, 2};

  // 3 (value 2) [0,1); 2 [1,4) since 1 is not ready; 1 [4,5).
  const Trace trace = simulator.trace({on_devices({0, 1, 1, 1}), order});
  EXPECT_EQ(trace.ops[3].start, 0.0);
  EXPECT_EQ(trace.ops[2].start, 1.0);
  EXPECT_EQ(trace.ops[1].start, 4.0);
}

TEST(Discipline, EqualPrioritiesFallBackToReadyTimeThenId) {
  const auto problem =
      uniform_problem(late_first(), 2, under(ExecutionModel::kDelay, Discipline::kPriority));
  Simulator simulator(*problem);
  const auto placement = on_devices({0, 1, 1, 1});

  EXPECT_EQ(simulator.makespan(placement, std::vector<double>{0.0, -0.0, 0.0, 0.0}),
            simulator.makespan(placement));
  EXPECT_EQ(simulator.trace({placement, {}}).ops[2].start, 0.0);
}

TEST(Discipline, FifoIgnoresAnOrder) {
  const auto problem =
      uniform_problem(late_first(), 2, under(ExecutionModel::kDelay, Discipline::kFifo));
  Simulator simulator(*problem);

  // 2 [0,3), 3 [3,4) (ready 0), 1 [4,5) (ready 2).
  EXPECT_EQ(simulator.makespan(on_devices({0, 1, 1, 1}), std::vector<double>{0, 1, 3, 2}), 5.0);
}

TEST(Discipline, StreamsTakeAStaticOrderInTurn) {
  ExecutionOptions execution = under(ExecutionModel::kDelay);
  execution.streams = 2;
  const auto problem = uniform_problem(late_first(), 2, execution);
  Simulator simulator(*problem);

  // Both streams of device 1 wait for op 1 until 2: 1 [2,3) and 3 [2,3), then 2 [3,6).
  const Trace trace = simulator.trace({on_devices({0, 1, 1, 1}), {0, 1, 3, 2}});
  EXPECT_EQ(trace.ops[3].start, 2.0);
  EXPECT_EQ(trace.ops[2].start, 3.0);
  EXPECT_EQ(trace.makespan, 6.0);
}

TEST(Discipline, ADeadlockedStaticOrderIsExplained) {
  // 0 -> 3 and 2 -> 1; device 0 wants 1 before 0, device 1 wants 3 before 2.
  const Graph graph = small_graph({1, 1, 1, 1}, {{0, 3, 0}, {2, 1, 0}});
  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kDopplerReference,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair}) {
    const auto problem = uniform_problem(graph, 2, under(model));
    Simulator simulator(*problem);
    const Placement placement{on_devices({0, 0, 1, 1}), {1, 0, 1, 0}};

    EXPECT_EQ(simulator.makespan(placement.device, placement.order),
              std::numeric_limits<double>::infinity());
    try {
      static_cast<void>(simulator.makespan(placement));
      FAIL() << name_of(model);
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(),
                   "placement: the static order of 'small' deadlocks: 'op1', next on device "
                   "'device0', waits for 'op2'; 'op3', next on device 'device1', waits for 'op0'");
    }
    EXPECT_THROW(static_cast<void>(simulator.trace(placement)), InputError);
    // The same simulator goes on working.
    EXPECT_EQ(simulator.makespan(placement.device), 2.0);
  }
}

}  // namespace
}  // namespace berth
