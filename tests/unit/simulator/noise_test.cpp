// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

Trace noisy_trace(const Graph& graph, double compute, double transfer, std::uint64_t seed) {
  ExecutionOptions execution = under(ExecutionModel::kDelay);
  execution.compute_noise = compute;
  execution.transfer_noise = transfer;
  execution.noise_seed = seed;
  const auto problem = uniform_problem(graph, 2, execution);
  std::vector<DeviceId> placement(graph.num_ops(), DeviceId{0});
  placement.back() = DeviceId{1};
  return Simulator(*problem).trace({placement, {}});
}

TEST(Noise, DependsOnSeedAndOpAlone) {
  const Graph graph = small_graph({10, 10, 10}, {{0, 2, 5}});
  const Graph more = small_graph({10, 10, 10, 10}, {{0, 2, 5}, {1, 3, 5}});
  const Trace one = noisy_trace(graph, 0.3, 0.0, 7);
  const Trace two = noisy_trace(more, 0.3, 0.0, 7);
  const Trace other = noisy_trace(graph, 0.3, 0.0, 8);

  EXPECT_EQ(one.ops[0].finish, two.ops[0].finish);
  EXPECT_NE(one.ops[0].finish, other.ops[0].finish);
  EXPECT_NE(one.ops[0].finish, 10.0);
  EXPECT_NE(one.ops[0].finish - one.ops[0].start, one.ops[1].finish - one.ops[1].start);
}

TEST(Noise, OnTransfersLeavesOpsAlone) {
  const Trace trace = noisy_trace(small_graph({10, 10}, {{0, 1, 5}}), 0.0, 0.3, 7);

  EXPECT_EQ(trace.ops[0].finish, 10.0);
  ASSERT_EQ(trace.transfers.size(), 1U);
  EXPECT_NE(trace.transfers[0].finish, 15.0);
  EXPECT_GT(trace.transfers[0].finish, 10.0);
}

// 20000 factors with sigma 0.5: mean 1, variance exp(0.25) - 1 = 0.284, so the mean of the sample
// is within 5 * sqrt(0.284 / 20000) = 0.019; the mean of the logarithms is -0.125 within
// 5 * 0.5 / sqrt(20000) = 0.018.
TEST(Noise, FactorsAreLogNormalWithMeanOne) {
  const std::size_t ops = 20000;
  const Trace trace = noisy_trace(small_graph(std::vector<double>(ops, 1.0), {}), 0.5, 0.0, 3);
  double sum = 0.0;
  double logs = 0.0;
  for (const OpInterval& op : trace.ops) {
    sum += op.finish - op.start;
    logs += std::log(op.finish - op.start);
  }
  EXPECT_NEAR(sum / static_cast<double>(ops), 1.0, 0.019);
  EXPECT_NEAR(logs / static_cast<double>(ops), -0.125, 0.018);
}

TEST(Noise, EveryModelPlaysItsTraceOnTheFastPath) {
  Rng rng(5);
  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kDopplerReference,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair}) {
    ExecutionOptions execution = under(model);
    execution.compute_noise = 0.2;
    execution.transfer_noise = 0.4;
    const Graph graph = random_graph(rng, 40, 1);
    const auto problem = make_problem("noisy", graph, mixed_bus(), execution);
    const auto placement = random_placement(rng, 40, 3);
    Simulator simulator(*problem);
    EXPECT_EQ(simulator.makespan(placement), simulator.trace({placement, {}}).makespan);
  }
}

}  // namespace
}  // namespace berth
