// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/dispatcher.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "small_problem.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)
constexpr std::uint32_t kNone = Dispatcher::kNone;
const auto kNobody = [](std::uint32_t) {};

TEST(Dispatcher, GivesReadyTasksInTheOrderInWhichTheyBecameReady) {
  const auto problem = problem_of(graph_of({1, 1, 1, 1}, {{1, 2}, {0, 3}}), 1);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 0, 0, 0}));
  Dispatcher dispatcher;
  dispatcher.load(plan);
  dispatcher.restart();
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 1U);
  EXPECT_EQ(dispatcher.take(0, 0.0).task, kNone);
  dispatcher.complete(1, 5.0, kNobody);
  dispatcher.complete(0, 6.0, kNobody);
  EXPECT_EQ(dispatcher.take(0, 6.0).task, 2U);
  EXPECT_EQ(dispatcher.take(0, 6.0).task, 3U);
  EXPECT_EQ(dispatcher.ready_time(2), 5.0);
  EXPECT_FALSE(dispatcher.done());
  dispatcher.complete(2, 7.0, kNobody);
  dispatcher.complete(3, 7.0, kNobody);
  EXPECT_TRUE(dispatcher.done());
}

TEST(Dispatcher, RunsACopyBeforeWaitingOpsAndWakesItsDestination) {
  const auto problem = problem_of(graph_of({1, 1, 1}, {{0, 1}}), 2);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 1, 1}));
  Dispatcher dispatcher;
  dispatcher.load(plan);
  dispatcher.restart();
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
  std::uint32_t woken = kNone;
  dispatcher.complete(0, 1.0, [&](std::uint32_t device) { woken = device; });
  EXPECT_EQ(woken, 1U);
  EXPECT_EQ(dispatcher.take(1, 1.0).task, 3U);  // the copy, though op 2 waited first
  EXPECT_EQ(dispatcher.take(1, 1.0).task, 2U);
  EXPECT_EQ(dispatcher.take(1, 1.0).task, kNone);
  dispatcher.complete(3, 2.0, kNobody);
  EXPECT_EQ(dispatcher.take(1, 2.0).task, 1U);
}

TEST(Dispatcher, GivesCopiesAndOpsApartToDevicesWithCopyStreams) {
  const auto problem = problem_of(graph_of({1, 1, 1}, {{0, 1}}), 2);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 1, 1}));
  Dispatcher dispatcher;
  dispatcher.load(plan);
  dispatcher.restart();
  EXPECT_EQ(dispatcher.take_copy(0), kNone);
  EXPECT_EQ(dispatcher.take_op(0), 0U);
  dispatcher.complete(0, 1.0, kNobody);
  EXPECT_EQ(dispatcher.take_op(1), 2U);  // though a copy waits
  EXPECT_EQ(dispatcher.take_copy(1), 3U);
  EXPECT_EQ(dispatcher.take_op(1), kNone);
  dispatcher.complete(3, 2.0, kNobody);
  EXPECT_EQ(dispatcher.take_op(1), 1U);
}

TEST(Dispatcher, TakesTheLeastOrderValueUnderPriorityAndOnlyTheNextUnderStaticOrder) {
  const Graph graph = graph_of({1, 1, 1}, {{0, 1}});
  const Placement placement = placement_of({0, 0, 0}, {0, 1, 2});
  Dispatcher dispatcher;
  const auto problem = problem_of(graph, 1, Discipline::kPriority);
  const ExecutionPlan by_priority = make_execution_plan(*problem, placement);
  dispatcher.load(by_priority);
  dispatcher.restart();
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 2U);  // 1 is not ready: work-conserving
  const auto strict = problem_of(graph, 1, Discipline::kStaticOrder);
  const ExecutionPlan in_order = make_execution_plan(*strict, placement);
  dispatcher.load(in_order);
  dispatcher.restart();
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
  EXPECT_EQ(dispatcher.take(0, 0.0).task, kNone);  // waits for 1
  dispatcher.complete(0, 1.0, kNobody);
  EXPECT_EQ(dispatcher.take(0, 1.0).task, 1U);
  EXPECT_EQ(dispatcher.take(0, 1.0).task, 2U);
}

TEST(Dispatcher, DelaysATransferUntilItsLinkDelivers) {
  const auto problem = problem_of(graph_of({1, 1}, {{0, 1}}), 2);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 1}));
  Dispatcher dispatcher;
  dispatcher.load(plan);
  dispatcher.restart();
  EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
  dispatcher.complete(0, 1.0, kNobody);
  EXPECT_EQ(dispatcher.take(1, 1.0).task, 2U);
  dispatcher.delay(2, 4.0);
  const Dispatcher::Choice early = dispatcher.take(1, 3.9);
  EXPECT_EQ(early.task, kNone);
  EXPECT_EQ(early.due, 4.0);
  EXPECT_EQ(dispatcher.take(1, 4.0).task, 1U);
}

TEST(Dispatcher, ServesWhatAnEmulatedLinkDeliveredBeforeWhatBecameReadyLater) {
  // 0 -> 2 crosses; 1 -> 3 and 1 -> 4 do not.
  const auto problem = problem_of(graph_of({1, 1, 1, 1, 1}, {{0, 2}, {1, 3}, {1, 4}}), 2);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 1, 1, 1, 1}));
  constexpr std::uint32_t kTransfer = 5;
  Dispatcher dispatcher;
  dispatcher.load(plan);
  const auto start = [&] {
    dispatcher.restart();
    EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
    EXPECT_EQ(dispatcher.take(1, 0.0).task, 1U);
    dispatcher.complete(0, 1.0, kNobody);
  };
  start();  // Copied in time, due at 4 while the device works on 1 until 5.
  EXPECT_EQ(dispatcher.take(1, 1.0).task, kTransfer);
  dispatcher.delay(kTransfer, 4.0);
  dispatcher.complete(1, 5.0, kNobody);
  EXPECT_EQ(dispatcher.take(1, 5.0).task, 2U);
  EXPECT_EQ(dispatcher.take(1, 5.0).task, 3U);
  EXPECT_EQ(dispatcher.take(1, 5.0).task, 4U);
  start();  // Copied when the device is free again; the link delivered at 4 all the same.
  dispatcher.complete(1, 5.0, kNobody);
  EXPECT_EQ(dispatcher.take(1, 5.0).task, kTransfer);
  dispatcher.complete(kTransfer, 4.0, kNobody);
  EXPECT_EQ(dispatcher.ready_time(2), 4.0);
  EXPECT_EQ(dispatcher.take(1, 5.1).task, 2U);
  EXPECT_EQ(dispatcher.take(1, 5.1).task, 3U);
  EXPECT_EQ(dispatcher.take(1, 5.1).task, 4U);
}

TEST(Dispatcher, AnOpIsReadyByTheLatestOfItsInputsNotByTheLastToBeTold) {
  // 2 waits for 1 and for 0's result, which a link delivered at 2; 3 became ready with 1.
  const auto problem = problem_of(graph_of({1, 1, 1, 1}, {{0, 2}, {1, 2}, {1, 3}}), 2);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 1, 1, 1}));
  constexpr std::uint32_t kTransfer = 4;
  Dispatcher dispatcher;
  dispatcher.load(plan);
  for (const bool delayed : {false, true}) {
    dispatcher.restart();
    EXPECT_EQ(dispatcher.take(0, 0.0).task, 0U);
    EXPECT_EQ(dispatcher.take(1, 0.0).task, 1U);
    dispatcher.complete(0, 1.0, kNobody);
    if (delayed) {
      EXPECT_EQ(dispatcher.take(1, 1.0).task, kTransfer);
      dispatcher.delay(kTransfer, 2.0);
    }
    dispatcher.complete(1, 5.0, kNobody);
    if (!delayed) {
      EXPECT_EQ(dispatcher.take(1, 5.0).task, kTransfer);
      dispatcher.complete(kTransfer, 2.0, kNobody);
    }
    EXPECT_EQ(dispatcher.take(1, 5.5).task, 3U) << delayed;
    EXPECT_EQ(dispatcher.ready_time(2), 5.0) << delayed;
    EXPECT_EQ(dispatcher.take(1, 5.5).task, 2U) << delayed;
  }
}

TEST(Dispatcher, RunsEveryTaskOnceAfterItsInputsWithManyThreadsOnADevice) {
  constexpr std::size_t kOps = 2000;
  constexpr unsigned kDevices = 3;
  constexpr unsigned kThreads = 2;  // of a device
  Rng rng(7, {1});
  std::vector<std::pair<unsigned, unsigned>> edges;
  std::vector<unsigned> devices;
  for (unsigned v = 0; v < kOps; ++v) {
    devices.push_back(static_cast<unsigned>(rng.below(kDevices)));
    for (int i = 0; i < 3 && v > 0; ++i) {
      edges.emplace_back(static_cast<unsigned>(rng.below(v)), v);
    }
  }
  const auto problem = problem_of(graph_of(std::vector<double>(kOps, 1.0), edges), kDevices);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of(devices));
  Dispatcher dispatcher;
  dispatcher.load(plan);
  for (int run = 0; run < 3; ++run) {
    dispatcher.restart();
    std::vector<std::atomic<int>> ended(plan.num_tasks());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kDevices * kThreads; ++t) {
      threads.emplace_back([&, device = t / kThreads] {
        while (!dispatcher.done()) {
          const std::uint32_t task = dispatcher.take(device, 0.0).task;
          if (task == kNone) {
            std::this_thread::yield();
            continue;
          }
          wrong += plan.device[task] == device ? 0 : 1;
          if (task < kOps) {
            for (const OpId producer : problem->graph.predecessors(to_id<OpId>(task))) {
              wrong += ended[index(producer)].load() == 1 ? 0 : 1;
            }
          }
          wrong += ended[task].fetch_add(1) == 0 ? 0 : 1;
          dispatcher.complete(task, 0.0, kNobody);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(wrong.load(), 0);
    for (std::size_t task = 0; task < plan.num_tasks(); ++task) {
      ASSERT_EQ(ended[task].load(), 1) << "task " << task;
    }
  }
}

}  // namespace
}  // namespace berth::executors
