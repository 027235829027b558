// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace berth {
namespace {

/// Ops of one device run at most `streams` at once: at each start, those running.
void expect_bounded_concurrency(const Trace& trace, std::uint32_t streams) {
  for (const OpInterval& op : trace.ops) {
    std::uint32_t running = 0;
    for (const OpInterval& other : trace.ops) {
      running += other.device == op.device && other.start <= op.start && op.start < other.finish;
    }
    EXPECT_LE(running, streams);
    EXPECT_LE(op.ready, op.start);
    EXPECT_LE(op.finish, trace.makespan);
    EXPECT_LT(op.stream, streams);
  }
}

/// No op waits while its device has an idle stream: at every instant between its ready time and
/// its start at which something ends or starts there, all streams are busy.
void expect_work_conserving(const Trace& trace, std::uint32_t streams) {
  for (const OpInterval& op : trace.ops) {
    for (const OpInterval& probe : trace.ops) {
      for (const double t : {op.ready, probe.start, probe.finish}) {
        if (t < op.ready || t >= op.start) {
          continue;
        }
        std::uint32_t running = 0;
        for (const OpInterval& other : trace.ops) {
          running += other.device == op.device && other.start <= t && t < other.finish;
        }
        EXPECT_EQ(running, streams) << "op " << index(op.op) << " waits at " << t;
      }
    }
  }
}

/// Every input is there when an op is ready, and the last one makes it ready.
void expect_inputs_in_time(const PlacementProblem& problem, const Trace& trace, bool grouped) {
  std::map<std::pair<OpId, std::size_t>, double> arrival;
  for (const TransferInterval& transfer : trace.transfers) {
    const auto to = grouped ? index(transfer.to) : index(transfer.consumer);
    const bool is_new = arrival.emplace(std::pair(transfer.producer, to), transfer.finish).second;
    EXPECT_TRUE(is_new) << "one transfer each";
    EXPECT_EQ(transfer.request, trace.ops[index(transfer.producer)].finish);
    EXPECT_LE(transfer.request, transfer.start);
    EXPECT_LE(transfer.start, transfer.finish);
  }
  for (const OpInterval& op : trace.ops) {
    double latest = 0.0;
    for (const OpId producer : problem.graph.predecessors(op.op)) {
      const OpInterval& from = trace.ops[index(producer)];
      const auto to = grouped ? index(op.device) : index(op.op);
      latest = std::max(
          latest, from.device == op.device ? from.finish : arrival.at(std::pair(producer, to)));
    }
    EXPECT_EQ(op.ready, latest);
  }
}

/// Transfers that leave or enter one device, or cross one bus, never overlap.
void expect_exclusive_links(const PlacementProblem& problem, const Trace& trace) {
  for (const TransferInterval& a : trace.transfers) {
    for (const TransferInterval& b : trace.transfers) {
      if (&a >= &b || a.start == a.finish || b.start == b.finish) {
        continue;
      }
      const auto one = problem.topology.route(a.from, a.to);
      const auto two = problem.topology.route(b.from, b.to);
      const bool share = a.from == b.from || a.to == b.to ||
                         std::any_of(one.begin(), one.end(), [two](LinkId link) {
                           return std::find(two.begin(), two.end(), link) != two.end();
                         });
      EXPECT_TRUE(!share || a.finish <= b.start || b.finish <= a.start);
    }
  }
}

TEST(Traces, KeepTheRulesOfTheirModel) {
  Rng rng(11);
  for (int round = 0; round < 150; ++round) {
    const Graph graph = random_graph(rng, 1 + rng.below(24), 0);
    const Topology topology = round % 2 == 0 ? Topology::uniform(3) : mixed_bus();
    const auto placement = random_placement(rng, graph.num_ops(), 3);
    for (const ExecutionModel model : {ExecutionModel::kDelay,
                                       ExecutionModel::kDopplerReference,
                                       ExecutionModel::kLinks,
                                       ExecutionModel::kFair}) {
      for (const std::uint32_t streams : {1U, 3U}) {
        SCOPED_TRACE(std::string(name_of(model)) + " round " + std::to_string(round));
        ExecutionOptions execution = under(model);
        execution.streams = streams;
        const auto problem = make_problem("p", graph, topology, execution);
        Simulator simulator(*problem);
        const Trace trace = simulator.trace({placement, {}});
        const bool grouped = model == ExecutionModel::kLinks || model == ExecutionModel::kFair;

        EXPECT_EQ(trace.makespan, simulator.makespan(placement));
        EXPECT_GE(trace.makespan, problem->lower_bound);
        expect_bounded_concurrency(trace, streams);
        expect_work_conserving(trace, streams);
        expect_inputs_in_time(*problem, trace, grouped);
        if (model == ExecutionModel::kLinks) {
          expect_exclusive_links(*problem, trace);
        }
      }
    }
  }
}

// A transfer that shares cannot be faster than one that does not.
TEST(Traces, FairTransfersAreNeverFasterThanAlone) {
  Rng rng(12);
  for (int round = 0; round < 100; ++round) {
    const Graph graph = random_graph(rng, 20, 0);
    const auto problem = make_problem("p", graph, mixed_bus(), under(ExecutionModel::kFair));
    const Trace trace = Simulator(*problem).trace({random_placement(rng, 20, 3), {}});
    for (const TransferInterval& transfer : trace.transfers) {
      double largest = 0.0;
      const std::size_t producer = index(transfer.producer);
      for (std::uint64_t e = graph.out_offsets()[producer]; e < graph.out_offsets()[producer + 1];
           ++e) {
        if (trace.ops[index(graph.out_targets()[e])].device == transfer.to) {
          largest = std::max(largest, graph.edge_size()[e]);
        }
      }
      const double alone = problem->costs.transfer(largest, transfer.from, transfer.to);
      EXPECT_GE(transfer.finish - transfer.request, alone * (1 - 1e-12));
    }
  }
}

}  // namespace
}  // namespace berth
