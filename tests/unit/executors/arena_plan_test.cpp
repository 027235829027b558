// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/arena_plan.hpp"

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "small_problem.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

struct Planned {
  std::shared_ptr<const PlacementProblem> problem;
  ExecutionPlan plan;
  ArenaPlan arenas;
};

Planned planned(const Graph& graph,
                const std::vector<unsigned>& devices,
                std::size_t num_devices,
                std::uint64_t bytes,
                bool reuse = true,
                Reuse which = Reuse::kAll) {
  Planned result;
  result.problem = problem_of(graph, num_devices);
  result.plan = make_execution_plan(*result.problem, placement_of(devices));
  const Reachability reach(graph);
  const std::vector<std::uint64_t> sizes(graph.num_ops(), bytes);
  result.arenas = plan_arenas(graph, result.plan, sizes, reuse ? &reach : nullptr, which);
  return result;
}

TEST(ArenaPlan, AChainNeedsTwoResultsAtATimeAndKeepsTheLast) {
  const Graph chain = graph_of({1, 1, 1, 1, 1, 1}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
  EXPECT_EQ(planned(chain, {0, 0, 0, 0, 0, 0}, 1, 128).arenas.size[0], 256U);
  EXPECT_EQ(planned(chain, {0, 0, 0, 0, 0, 0}, 1, 128, false).arenas.size[0], 768U);
}

TEST(ArenaPlan, IndependentOpsShareNothingAsTheyMayOverlap) {
  // 0 -> 1 and 2 -> 3: 2 may run while 0's result is needed.
  const Graph pairs = graph_of({1, 1, 1, 1}, {{0, 1}, {2, 3}});
  EXPECT_EQ(planned(pairs, {0, 0, 0, 0}, 1, 64).arenas.size[0], 256U);
}

TEST(ArenaPlan, SizesRoundUpToCacheLinesAndNothingTakesALineToo) {
  const Graph two = graph_of({1, 1}, {});
  EXPECT_EQ(planned(two, {0, 0}, 1, 65).arenas.size[0], 256U);
  EXPECT_EQ(planned(two, {0, 0}, 1, 0).arenas.size[0], 128U);
}

TEST(ArenaPlan, WhatATransferHasReadKeepsItsMemoryIfAskedTo) {
  // 0 on the first device is sent to 1 on the second, which is sent back to 2; 3 and 4 follow.
  const Graph chain = graph_of({1, 1, 1, 1, 1}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const std::vector<unsigned> devices = {0, 1, 0, 0, 0};
  // First device, all: 0, the copy of 1, 2 in 0's place, 3 in the copy's, 4 in 2's.
  const Planned all = planned(chain, devices, 2, 64);
  EXPECT_EQ(all.arenas.size[0], 128U);
  // 0 keeps its place: the copy of 1, 2, 3 in the copy's place, 4 in 2's.
  const Planned unsent = planned(chain, devices, 2, 64, true, Reuse::kUnsent);
  EXPECT_EQ(unsent.arenas.size[0], 192U);
  for (const std::uint32_t later : {2U, 3U, 4U}) {
    EXPECT_NE(unsent.arenas.offset[later], unsent.arenas.offset[0]);
  }
}

/// Replays random executions of a plan and checks that no result is overwritten while it is needed.
TEST(ArenaPlan, NoExecutionOverwritesAResultThatIsStillNeeded) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed, {2});
    constexpr unsigned kOps = 60;
    std::vector<std::pair<unsigned, unsigned>> edges;
    std::vector<unsigned> devices;
    for (unsigned v = 0; v < kOps; ++v) {
      devices.push_back(static_cast<unsigned>(rng.below(2)));
      for (unsigned i = 0; i < 2 && v > 0; ++i) {
        const unsigned nearest = v > 8 ? v - 8 : 0;
        edges.emplace_back(nearest + static_cast<unsigned>(rng.below(v - nearest)), v);
      }
    }
    const Graph graph = graph_of(std::vector<double>(kOps, 1.0), edges);
    const Planned p = planned(graph, devices, 2, 64);
    EXPECT_LT(p.arenas.size[0] + p.arenas.size[1], 64U * p.plan.num_tasks());
    for (int order = 0; order < 10; ++order) {
      std::vector<std::uint32_t> pending = p.plan.pending;
      std::vector<std::uint32_t> ready = p.plan.sources;
      // What lies in each line of each device: the task that wrote it.
      std::vector<std::vector<std::uint32_t>> memory(2, std::vector<std::uint32_t>(kOps * 2, ~0U));
      const auto line = [&](std::uint32_t task) -> std::uint32_t& {
        return memory[p.plan.device[task]][p.arenas.offset[task] / 64];
      };
      while (!ready.empty()) {
        const std::size_t pick = rng.below(ready.size());
        const std::uint32_t task = ready[pick];
        ready[pick] = ready.back();
        ready.pop_back();
        if (p.plan.is_transfer(task)) {
          const std::uint32_t producer = p.plan.transfer_of(task).producer;
          ASSERT_EQ(line(producer), producer);
        } else {
          for (const OpId input : graph.predecessors(to_id<OpId>(task))) {
            const auto producer = static_cast<std::uint32_t>(input);
            const bool local = p.plan.device[producer] == p.plan.device[task];
            const std::uint32_t holder =
                local ? producer : p.plan.transfer_task(producer, p.plan.device[task]);
            ASSERT_EQ(line(holder), holder) << "input of op " << task;
          }
        }
        line(task) = task;
        for (const std::uint32_t next : p.plan.successors(task)) {
          if (--pending[next] == 0) {
            ready.push_back(next);
          }
        }
      }
      for (std::uint32_t v = 0; v < kOps; ++v) {
        if (graph.successors(to_id<OpId>(v)).empty()) {
          EXPECT_EQ(line(v), v) << "the result of a sink was overwritten";
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::executors
