// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "critical_chain.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "example_problems.hpp"
#include "random_edges.hpp"

namespace berth::baselines {
namespace {

std::vector<OpId> chain_of(const PlacementProblem& problem, const std::vector<DeviceId>& device) {
  return critical_chain(Simulator(problem).trace({device, {}}), problem.graph);
}

TEST(CriticalChain, FollowsInputsAndDevicesThatWereBusy) {
  // Device 0: op 0 (0-3), op 1 (3-7). Device 1: op 2 (0-2), op 3 (8-9), whose input from op 1 takes
  // a transfer of 1. Op 3 waits for op 1, op 1 for its device, which op 0 leaves.
  const auto problem = identical_problem({3, 4, 2, 1}, {{1, 3, 1}}, 2, Discipline::kFifo);

  EXPECT_EQ(chain_of(*problem, {DeviceId{0}, DeviceId{0}, DeviceId{1}, DeviceId{1}}),
            (std::vector<OpId>{OpId{3}, OpId{1}, OpId{0}}));
}

TEST(CriticalChain, OfSeveralInputsFollowsTheOneThatArrivesLast) {
  // Op 0 ends at 3 beside op 2, op 1 ends at 2 elsewhere and arrives at 4.
  const auto problem = identical_problem({3, 2, 1}, {{0, 2, 5}, {1, 2, 2}}, 2, Discipline::kFifo);

  EXPECT_EQ(chain_of(*problem, {DeviceId{0}, DeviceId{1}, DeviceId{0}}),
            (std::vector<OpId>{OpId{2}, OpId{1}}));
}

TEST(CriticalChain, OfNothingIsEmpty) {
  EXPECT_TRUE(critical_chain(Trace{}, GraphBuilder("none").freeze()).empty());
}

/// Whether `cause` ends, or its result arrives, the moment `op` starts.
bool lets_start(const Trace& trace, OpId cause, OpId op) {
  const OpInterval& before = trace.ops[index(cause)];
  const OpInterval& after = trace.ops[index(op)];
  if (before.device == after.device) {
    return before.finish == after.start;
  }
  return std::ranges::any_of(trace.transfers, [&](const TransferInterval& transfer) {
    return transfer.producer == cause && transfer.to == after.device &&
           transfer.finish == after.start;
  });
}

TEST(CriticalChain, LeadsWithoutAGapFromTheStartToTheMakespan) {
  for (const ExecutionModel model : {ExecutionModel::kDelay, ExecutionModel::kLinks}) {
    for (const std::uint32_t streams : {1U, 2U}) {
      for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Rng rng(seed);
        GraphBuilder builder("random");
        std::vector<DeviceId> device;
        for (std::size_t v = 0; v < 60; ++v) {
          OpSpec op;
          op.work = 1.0 + static_cast<double>(rng.below(4));
          builder.add_op(op);
          device.push_back(to_id<DeviceId>(rng.below(3)));
        }
        testing::add_random_edges(builder, 60, rng);
        ExecutionOptions execution;
        execution.model = model;
        execution.discipline = Discipline::kFifo;
        execution.streams = streams;
        const auto problem =
            make_problem("random", builder.freeze(), Topology::uniform(3), execution);
        const Trace trace = Simulator(*problem).trace({device, {}});

        const std::vector<OpId> chain = critical_chain(trace, problem->graph);

        ASSERT_FALSE(chain.empty());
        EXPECT_EQ(trace.ops[index(chain.front())].finish, trace.makespan);
        EXPECT_EQ(trace.ops[index(chain.back())].start, 0.0);
        for (std::size_t i = 1; i < chain.size(); ++i) {
          EXPECT_TRUE(lets_start(trace, chain[i], chain[i - 1]))
              << name_of(model) << " " << streams << " " << seed << ": " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::baselines
