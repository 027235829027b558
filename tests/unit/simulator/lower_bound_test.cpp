// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "berth/graph_levels.hpp"
#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

/// The best makespan of any placement and any order of starts: all device assignments times all
/// permutations as static orders (deadlocks are infinite), and fifo.
double best_of_all(const PlacementProblem& problem) {
  const std::size_t n = problem.graph.num_ops();
  const std::size_t devices = problem.topology.num_devices();
  Simulator simulator(problem);
  std::vector<double> order(n);
  double best = std::numeric_limits<double>::infinity();
  std::size_t assignments = 1;
  for (std::size_t v = 0; v < n; ++v) {
    assignments *= devices;
  }
  for (std::size_t code = 0; code < assignments; ++code) {
    std::vector<DeviceId> placement;
    for (std::size_t v = 0, rest = code; v < n; ++v, rest /= devices) {
      placement.push_back(to_id<DeviceId>(rest % devices));
    }
    best = std::min(best, simulator.makespan(placement));
    std::iota(order.begin(), order.end(), 0.0);
    do {
      best = std::min(best, simulator.makespan(placement, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return best;
}

double plain_bound(const PlacementProblem& problem) {
  const std::size_t ops = problem.graph.num_ops();
  const std::vector<double> least = problem.costs.least_compute(ops);
  const std::vector<double> levels = bottom_levels(problem.graph, least, {});
  const double work = std::accumulate(least.begin(), least.end(), 0.0);
  const auto capacity =
      static_cast<double>(problem.topology.num_devices() * problem.execution.streams);
  return std::max(*std::max_element(levels.begin(), levels.end()), work / capacity);
}

/// A random graph of up to five ops; with `fractions`, times that binary numbers cannot hold; with
/// `table`, times of its own for each of two devices, some of which cannot run an op.
Graph hard_graph(Rng& rng, bool fractions, bool table) {
  GraphBuilder builder("hard");
  const std::size_t ops = 1 + rng.below(5);
  const double unit = fractions ? 0.1 : 1.0;
  const auto time = [&](std::uint64_t most) { return unit * static_cast<double>(rng.below(most)); };
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.work = time(6);
    if (table) {
      op.device_time = {time(6), time(6)};
      const std::uint64_t barred = rng.below(4);
      if (barred < 2) {
        op.device_time[barred] = std::numeric_limits<double>::infinity();
      }
    }
    builder.add_op(op);
  }
  for (std::size_t v = 0; v < ops; ++v) {
    for (std::size_t u = 0; u < v; ++u) {
      if (rng.below(5) < 2) {
        builder.add_edge(to_id<OpId>(u), to_id<OpId>(v), time(8));
      }
    }
  }
  return builder.freeze();
}

TEST(LowerBound, NeverExceedsTheBestOfAllPlacementsAndOrders) {
  Rng rng(21);
  int tight = 0;
  int above_plain = 0;
  int cases = 0;
  for (int round = 0; round < 240; ++round) {
    const bool table = round % 3 == 0;
    const bool mixed = !table && round % 4 == 1;
    const Graph graph = hard_graph(rng, round % 2 == 1, table);
    const Topology topology = mixed && graph.num_ops() < 5 ? mixed_bus() : Topology::uniform(2);
    for (const ExecutionModel model : {ExecutionModel::kDelay,
                                       ExecutionModel::kDopplerReference,
                                       ExecutionModel::kLinks,
                                       ExecutionModel::kFair}) {
      ExecutionOptions execution = under(model);
      execution.streams = 1 + static_cast<std::uint32_t>(rng.below(4) == 0);
      const auto problem = make_problem("hard", graph, topology, execution);
      const double best = best_of_all(*problem);
      EXPECT_LE(problem->lower_bound, best) << name_of(model) << " round " << round;
      EXPECT_GE(problem->lower_bound, plain_bound(*problem) * (1 - 1e-12));
      if (model == ExecutionModel::kDelay) {
        ++cases;
        tight += problem->lower_bound >= best * (1 - 1e-12) ? 1 : 0;
        above_plain += problem->lower_bound > plain_bound(*problem) * (1 + 1e-12) ? 1 : 0;
      }
    }
  }
  // A bound that never bites proves nothing: it meets the optimum in most of these.
  EXPECT_GT(tight, cases / 2);
  EXPECT_GT(above_plain, cases / 8);
  std::cout << "tight in " << tight << ", above the plain bound in " << above_plain << " of "
            << cases << "\n";
}

TEST(LowerBound, KnowsThatAJoinEitherWaitsForATransferOrSerialisesItsProducers) {
  // Two producers of 3 feed one consumer of 1 over transfers of 2: together 3 + 3, apart 3 + 2.
  const Graph graph = small_graph({3, 3, 1}, {{0, 2, 2}, {1, 2, 2}});
  EXPECT_EQ(uniform_problem(graph, 2, under(ExecutionModel::kDelay))->lower_bound, 6.0);
  // On one device everything is in a row.
  EXPECT_EQ(uniform_problem(graph, 1, under(ExecutionModel::kDelay))->lower_bound, 7.0);
}

TEST(LowerBound, RoundsUpWhereAllTimesAreWhole) {
  // Three ops of 1 on two devices: 3 / 2 rounds up to 2.
  const Graph graph = small_graph({1, 1, 1}, {});
  EXPECT_EQ(uniform_problem(graph, 2, under(ExecutionModel::kDelay))->lower_bound, 2.0);
}

TEST(LowerBound, KnowsThatMoreInputsThanDevicesShareADevice) {
  // Three ops of 2 before one of 1: on two devices two of the three follow one another, 2 + 2 + 1,
  // though their work fits into 6 / 2 + 1.
  const Graph join = small_graph({2, 2, 2, 1}, {{0, 3, 0}, {1, 3, 0}, {2, 3, 0}});
  EXPECT_EQ(uniform_problem(join, 2, under(ExecutionModel::kDelay))->lower_bound, 5.0);
  EXPECT_EQ(uniform_problem(join, 3, under(ExecutionModel::kDelay))->lower_bound, 3.0);
  // The same upside down, and with nothing to join at all.
  const Graph fork = small_graph({1, 2, 2, 2}, {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}});
  EXPECT_EQ(uniform_problem(fork, 2, under(ExecutionModel::kDelay))->lower_bound, 5.0);
  const Graph apart = small_graph({2, 2, 2}, {});
  EXPECT_EQ(uniform_problem(apart, 2, under(ExecutionModel::kDelay))->lower_bound, 4.0);
  // Two streams of one device are as good as two devices.
  ExecutionOptions streams = under(ExecutionModel::kDelay);
  streams.streams = 2;
  EXPECT_EQ(uniform_problem(apart, 1, streams)->lower_bound, 4.0);
}

TEST(LowerBound, AddsUpLayersThatWaitForOneAnother) {
  // Three layers of three ops, each op waits for the whole layer above, two devices: of each layer
  // two ops share a device, 2 + 2, so 12; the work alone says 9.
  std::vector<SmallEdge> edges;
  for (std::uint32_t from = 0; from < 6; ++from) {
    for (std::uint32_t to = from / 3 * 3 + 3; to < from / 3 * 3 + 6; ++to) {
      edges.push_back({from, to, 0});
    }
  }
  const Graph graph = small_graph(std::vector<double>(9, 2.0), edges);
  EXPECT_EQ(uniform_problem(graph, 2, under(ExecutionModel::kDelay))->lower_bound, 12.0);
}

TEST(LowerBound, CountsForcedTransfersAndTheLoadOfTheOnlyDevice) {
  // 0 (2) only on device 0, 1 (3) only on device 1, edge of 4: 2 + 4 + 3. A third op (5) only on
  // device 1 starts at 0: load of device 1 alone is 8 < 9.
  GraphBuilder builder;
  const auto add = [&builder](double work, unsigned device) {
    OpSpec op;
    op.work = work;
    op.eligible = {to_id<DeviceId>(device)};
    builder.add_op(op);
  };
  add(2, 0);
  add(3, 1);
  add(5, 1);
  builder.add_edge(OpId{0}, OpId{1}, 4);
  const Graph graph = builder.freeze();
  EXPECT_EQ(uniform_problem(graph, 2, under(ExecutionModel::kDelay))->lower_bound, 9.0);
}

}  // namespace
}  // namespace berth
