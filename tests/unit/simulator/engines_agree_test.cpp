// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "naive_delay.hpp"
#include "small_problems.hpp"

namespace berth {
namespace {

constexpr int kRounds = 300;

std::vector<double> random_order(Rng& rng, std::size_t ops) {
  std::vector<double> order;
  for (std::size_t v = 0; v < ops; ++v) {
    order.push_back(static_cast<double>(rng.below(ops)) - 2.0);
  }
  return order;
}

TEST(DelayFifo, AgreesWithTheDefinitionAndWithItsTrace) {
  Rng rng(1);
  for (int round = 0; round < kRounds; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(24), 1);
    const Topology topology = round % 2 == 0 ? Topology::uniform(3) : mixed_bus();
    const auto problem = make_problem("p", graph, topology, under(ExecutionModel::kDelay));
    const auto placement = random_placement(rng, graph.num_ops(), 3);
    Simulator simulator(*problem);

    const double makespan = simulator.makespan(placement);
    EXPECT_EQ(makespan, naive_delay_makespan(*problem, placement, {}, Discipline::kFifo, 1));
    EXPECT_EQ(makespan, simulator.trace({placement, {}}).makespan);
  }
}

TEST(EventList, AgreesWithTheDefinitionUnderEveryDisciplineAndStreamCount) {
  Rng rng(2);
  int deadlocks = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(16), 0);
    const auto placement = random_placement(rng, graph.num_ops(), 3);
    const std::vector<double> order = random_order(rng, graph.num_ops());
    for (const Discipline discipline :
         {Discipline::kFifo, Discipline::kPriority, Discipline::kStaticOrder}) {
      for (const std::uint32_t streams : {1U, 2U, 5U}) {
        ExecutionOptions execution = under(ExecutionModel::kDelay, discipline);
        execution.streams = streams;
        const auto problem = uniform_problem(graph, 3, execution);
        Simulator simulator(*problem);
        const double makespan = simulator.makespan(placement, order);
        EXPECT_EQ(makespan, naive_delay_makespan(*problem, placement, order, discipline, streams))
            << "round " << round << ", " << name_of(discipline) << ", streams " << streams;
        deadlocks += makespan == std::numeric_limits<double>::infinity() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(deadlocks, 0) << "the sample should hold deadlocks too";
}

TEST(LinksFifo, AgreesWithItsTrace) {
  Rng rng(3);
  for (int round = 0; round < kRounds; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(40), 1);
    const Topology topology = round % 2 == 0 ? Topology::uniform(3) : mixed_bus();
    const auto problem = make_problem("p", graph, topology, under(ExecutionModel::kLinks));
    const auto placement = random_placement(rng, graph.num_ops(), 3);
    Simulator simulator(*problem);
    EXPECT_EQ(simulator.makespan(placement), simulator.trace({placement, {}}).makespan);
  }
}

TEST(MeanFinish, IsThatOfTheOpsOfTheTraceUnderEveryModelAndDiscipline) {
  Rng rng(6);
  for (int round = 0; round < 20; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(24), round % 2);  // with ops of no time too
    const auto placement = random_placement(rng, graph.num_ops(), 3);
    std::vector<double> order(graph.num_ops());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[index(graph.topological_order()[i])] = static_cast<double>(i);
    }
    for (const ExecutionModel model : {ExecutionModel::kDelay,
                                       ExecutionModel::kDopplerReference,
                                       ExecutionModel::kLinks,
                                       ExecutionModel::kFair,
                                       ExecutionModel::kPull}) {
      for (const Discipline discipline :
           {Discipline::kFifo, Discipline::kPriority, Discipline::kStaticOrder}) {
        const auto problem = make_problem("p", graph, mixed_bus(), under(model, discipline));
        double sum = 0.0;
        const Trace trace = Simulator(*problem).trace({placement, order});
        for (const OpInterval& op : trace.ops) {
          sum += op.finish;
        }
        Simulator simulator(*problem);
        EXPECT_EQ(simulator.mean_finish(), 0.0);
        EXPECT_EQ(simulator.makespan(placement, order), trace.makespan);
        const double mean = sum / static_cast<double>(graph.num_ops());
        EXPECT_NEAR(simulator.mean_finish(), mean, 1e-12 * mean)
            << name_of(model) << ", " << name_of(discipline);
      }
    }
  }
}

// A static order taken from a fifo trace (by start, then id) plays that trace again.
TEST(StaticOrder, ReplaysAFifoTrace) {
  Rng rng(4);
  for (int round = 0; round < kRounds; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(24), 1);
    const auto problem = uniform_problem(graph, 3, under(ExecutionModel::kDelay));
    const auto placement = random_placement(rng, graph.num_ops(), 3);
    Simulator simulator(*problem);
    const Trace fifo = simulator.trace({placement, {}});
    std::vector<double> order;
    for (const OpInterval& op : fifo.ops) {
      order.push_back(op.start);
    }
    EXPECT_EQ(simulator.makespan(placement, order), fifo.makespan);
  }
}

// With the order on every device fixed, longer ops and transfers never help.
TEST(StaticOrder, IsMonotoneInEveryCost) {
  Rng rng(5);
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t ops = 2 + rng.below(16);
    std::vector<double> work(ops);
    std::vector<SmallEdge> edges;
    for (unsigned v = 0; v < ops; ++v) {
      work[v] = static_cast<double>(rng.below(5));
      for (unsigned u = 0; u < v; ++u) {
        if (rng.below(4) == 0) {
          edges.push_back({u, v, static_cast<double>(rng.below(7))});
        }
      }
    }
    const auto placement = random_placement(rng, ops, 3);
    std::vector<double> order(ops);
    std::iota(order.begin(), order.end(), 0.0);
    const auto run = [&] {
      const auto problem =
          uniform_problem(small_graph(work, edges), 3, under(ExecutionModel::kDelay));
      return Simulator(*problem).makespan(placement, order);
    };
    const double before = run();
    work[rng.below(ops)] += 1.0;
    if (!edges.empty()) {
      edges[rng.below(edges.size())].size += 2.0;
    }
    EXPECT_GE(run(), before);
  }
}

// Swapping two devices of a uniform topology changes nothing: results hang on op ids alone.
TEST(Determinism, RenamedDevicesGiveTheSameMakespan) {
  Rng rng(6);
  for (int round = 0; round < kRounds; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(24), 0);
    auto placement = random_placement(rng, graph.num_ops(), 3);
    auto renamed = placement;
    for (DeviceId& device : renamed) {
      device = to_id<DeviceId>((index(device) + 1) % 3);
    }
    for (const ExecutionModel model : {ExecutionModel::kDelay, ExecutionModel::kDopplerReference}) {
      const auto problem = uniform_problem(graph, 3, under(model));
      Simulator simulator(*problem);
      EXPECT_EQ(simulator.makespan(placement), simulator.makespan(renamed));
    }
  }
}

// Edges added in another order make the same execution where edge order has no meaning.
TEST(Determinism, EdgeInsertionOrderDoesNotMatter) {
  Rng rng(7);
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t ops = 2 + rng.below(16);
    std::vector<double> work(ops, 1.0);
    std::vector<SmallEdge> edges;
    for (unsigned v = 1; v < ops; ++v) {
      edges.push_back({static_cast<unsigned>(rng.below(v)), v, static_cast<double>(rng.below(4))});
    }
    auto reversed = edges;
    std::reverse(reversed.begin(), reversed.end());
    const auto placement = random_placement(rng, ops, 3);
    for (const ExecutionModel model :
         {ExecutionModel::kDelay, ExecutionModel::kLinks, ExecutionModel::kFair}) {
      const auto one = uniform_problem(small_graph(work, edges), 3, under(model));
      const auto two = uniform_problem(small_graph(work, reversed), 3, under(model));
      EXPECT_EQ(Simulator(*one).makespan(placement), Simulator(*two).makespan(placement))
          << name_of(model);
    }
  }
}

// Runs do not leave anything behind in the workspace.
TEST(Determinism, TheSamePlacementGivesTheSameMakespanAfterOthers) {
  Rng rng(8);
  const Graph graph = random_graph(rng, 30, 0);
  const auto first = random_placement(rng, 30, 3);
  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kDopplerReference,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair}) {
    const auto problem = uniform_problem(graph, 3, under(model));
    Simulator simulator(*problem);
    const double before = simulator.makespan(first);
    for (int i = 0; i < 20; ++i) {
      static_cast<void>(simulator.makespan(random_placement(rng, 30, 3)));
    }
    EXPECT_EQ(simulator.makespan(first), before);
  }
}

}  // namespace
}  // namespace berth
