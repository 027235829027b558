// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/execution_plan.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"
#include "small_problem.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)
using Tasks = std::vector<std::uint32_t>;

Tasks tasks(std::span<const std::uint32_t> values) {
  return {values.begin(), values.end()};
}

TEST(ExecutionPlan, MakesOneTransferForEachProducerAndDestination) {
  // 0 feeds 1 and 2 on device 1, 3 on device 0, 4 on device 2.
  const auto problem =
      problem_of(graph_of({1, 1, 1, 1, 1}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 2.0), 3);
  const ExecutionPlan plan = make_execution_plan(*problem, placement_of({0, 1, 1, 0, 2}));
  ASSERT_EQ(plan.transfers.size(), 2U);
  EXPECT_EQ(plan.transfers[0].to, 1U);
  EXPECT_EQ(plan.transfers[0].consumer, 1U);
  EXPECT_EQ(plan.transfers[1].to, 2U);
  EXPECT_EQ(plan.transfers[0].duration, 2.0);
  EXPECT_EQ(tasks(plan.successors(0)), (Tasks{3, 5, 6}));
  EXPECT_EQ(tasks(plan.successors(5)), (Tasks{1, 2}));
  EXPECT_EQ(tasks(plan.successors(6)), (Tasks{4}));
  EXPECT_EQ(plan.pending, (Tasks{0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(plan.sources, (Tasks{0}));
  EXPECT_EQ(plan.device, (Tasks{0, 1, 1, 0, 2, 1, 2}));
  EXPECT_EQ(plan.transfer_task(0, 2), 6U);
}

TEST(ExecutionPlan, TakesTheDisciplineFromTheOrder) {
  const auto problem = problem_of(graph_of({1, 1}, {}), 1);
  EXPECT_EQ(make_execution_plan(*problem, placement_of({0, 0})).discipline, Discipline::kFifo);
  EXPECT_EQ(make_execution_plan(*problem, placement_of({0, 0}, {1, 0})).discipline,
            Discipline::kStaticOrder);
}

TEST(ExecutionPlan, RefusesAStaticOrderThatDeadlocksAndNamesTheOp) {
  const auto problem = problem_of(graph_of({1, 1}, {{0, 1}}), 1);
  const std::string text = error_text<InputError>([&] {
    static_cast<void>(make_execution_plan(*problem, placement_of({0, 0}, {1, 0})));
  });
  EXPECT_NE(text.find("waits for op1"), std::string::npos) << text;
  // Across devices: 0 -> 1 and 2 -> 3, each device wants the consumer first.
  const auto crossed = problem_of(graph_of({1, 1, 1, 1}, {{0, 1}, {2, 3}}), 2);
  error_text<InputError>([&] {
    static_cast<void>(make_execution_plan(*crossed, placement_of({0, 1, 1, 0}, {1, 0, 1, 0})));
  });
}

TEST(ExecutionPlan, RefusesAPlacementOfAnotherSize) {
  const auto problem = problem_of(graph_of({1, 1}, {}), 1);
  error_text<InputError>(
      [&] { static_cast<void>(make_execution_plan(*problem, placement_of({0}))); });
}

}  // namespace
}  // namespace berth::executors
