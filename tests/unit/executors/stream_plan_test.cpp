// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/stream_plan.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "core/arena_plan.hpp"
#include "core/op_shape.hpp"
#include "datasets/workloads/workload_word.hpp"
#include "small_problem.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

constexpr const char* kWorkloads[] = {"chain-mm:4:physical:i40j40k40l40m40",
                                      "ffnn:4:physical:b64i8o6h64",
                                      "llama-block:4:physical:s32h48n8d8f48v64",
                                      "llama-layer:4:physical:s32h48n8d8f48v64"};
constexpr StreamSpec kSpecs[] = {{1, 1}, {2, 1}, {5, 2}};

/// A stream plan and all that it was made from.
struct StreamPlanned {
  std::shared_ptr<const PlacementProblem> problem;
  ExecutionPlan plan;
  StreamPlan streams;
};

std::vector<double> seconds_of(const PlacementProblem& problem, const ExecutionPlan& plan) {
  std::vector<double> seconds;
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    seconds.push_back(problem.costs.compute(to_id<OpId>(v), to_id<DeviceId>(plan.device[v])));
  }
  for (const ExecutionPlan::Transfer& transfer : plan.transfers) {
    seconds.push_back(transfer.duration);
  }
  return seconds;
}

StreamPlanned plan_of(std::shared_ptr<const PlacementProblem> problem,
                      const Placement& placement,
                      const StreamSpec& spec) {
  StreamPlanned found{std::move(problem), {}, {}};
  found.plan = make_execution_plan(*found.problem, placement);
  found.streams =
      plan_streams(found.plan, Producers(found.plan), seconds_of(*found.problem, found.plan), spec);
  return found;
}

/// Every workload with ten random placements and all kinds of streams.
template <class Check>
void each_planned_workload(const Check& check) {
  for (const char* word : kWorkloads) {
    const auto problem = make_problem(word,
                                      datasets::make_workload_of(std::string("workload:") + word),
                                      Topology::uniform(4),
                                      {});
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Rng rng(seed, {4});
      std::vector<unsigned> devices;
      for (std::size_t v = 0; v < problem->graph.num_ops(); ++v) {
        devices.push_back(static_cast<unsigned>(rng.below(4)));
      }
      const StreamSpec& spec = kSpecs[seed % 3];
      check(plan_of(problem, placement_of(devices), spec), spec);
    }
  }
}

/// Which tasks have ended before a task starts, by streams and events alone: [task][task].
std::vector<std::vector<char>> ended_before(const StreamPlanned& planned,
                                            std::size_t left_out = ~0U) {
  const std::size_t tasks = planned.plan.num_tasks();
  std::vector<std::vector<char>> before(tasks, std::vector<char>(tasks, 0));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;
  for (const StreamPlan::Step& step : planned.streams.steps) {
    auto& mine = before[step.task];
    const auto add = [&](std::uint32_t other) {
      mine[other] = 1;
      for (std::size_t t = 0; t < tasks; ++t) {
        mine[t] = static_cast<char>(mine[t] | before[other][t]);
      }
    };
    const std::pair stream(step.stream.device, step.stream.number);
    if (const auto found = last.find(stream); found != last.end()) {
      add(found->second);
    }
    for (std::uint32_t w = 0; w < step.num_waits; ++w) {
      if (step.first_wait + w != left_out) {
        add(planned.streams.waits[step.first_wait + w]);
      }
    }
    last[stream] = step.task;
  }
  return before;
}

std::size_t missing(const StreamPlanned& planned, const std::vector<std::vector<char>>& before) {
  std::size_t count = 0;
  for (std::uint32_t task = 0; task < planned.plan.num_tasks(); ++task) {
    for (const std::uint32_t next : planned.plan.successors(task)) {
      count += before[next][task] == 0 ? 1 : 0;
    }
  }
  return count;
}

TEST(StreamPlan, OrdersEveryDependencyOfTheWorkloadsByStreamOrEvent) {
  each_planned_workload([](const StreamPlanned& planned, const StreamSpec&) {
    EXPECT_EQ(missing(planned, ended_before(planned)), 0U) << planned.problem->name;
  });
}

TEST(StreamPlan, IssuesEveryTaskOnceAfterWhatItWaitsFor) {
  each_planned_workload([](const StreamPlanned& planned, const StreamSpec&) {
    std::vector<char> issued(planned.plan.num_tasks(), 0);
    for (const StreamPlan::Step& step : planned.streams.steps) {
      EXPECT_EQ(issued[step.task]++, 0);
      for (const std::uint32_t producer : planned.streams.waits_of(step)) {
        EXPECT_EQ(issued[producer], 1) << "an event is waited for before it is recorded";
        EXPECT_NE(planned.streams.is_waited[producer], 0);
      }
    }
    EXPECT_EQ(std::ranges::count(issued, 1), static_cast<std::ptrdiff_t>(issued.size()));
  });
}

TEST(StreamPlan, RunsOpsOnComputeStreamsAndTransfersOnCopyStreamsOfTheirDestination) {
  each_planned_workload([](const StreamPlanned& planned, const StreamSpec& spec) {
    for (const StreamPlan::Step& step : planned.streams.steps) {
      EXPECT_EQ(step.stream.device, planned.plan.device[step.task]);
      EXPECT_EQ(step.stream.number >= spec.compute, planned.plan.is_transfer(step.task));
      EXPECT_LT(step.stream.number, spec.all());
    }
  });
}

TEST(StreamPlan, WritesOverNoResultThatIsStillToBeRead) {
  each_planned_workload([](const StreamPlanned& planned, const StreamSpec&) {
    const ExecutionPlan& plan = planned.plan;
    const OpShapes shapes = make_op_shapes(planned.problem->graph);
    std::vector<std::uint64_t> bytes;
    for (const OpShape& shape : shapes.ops) {
      bytes.push_back(shape.output_reals * sizeof(float));
    }
    const Reachability reach(planned.problem->graph);
    const ArenaPlan arenas = plan_arenas(planned.problem->graph, plan, bytes, &reach);
    const auto before = ended_before(planned);
    const auto size_of = [&](std::uint32_t task) {
      return bytes[plan.is_transfer(task) ? plan.transfer_of(task).producer : task];
    };
    std::size_t shared = 0;
    for (std::uint32_t a = 0; a < plan.num_tasks(); ++a) {
      for (std::uint32_t b = 0; b < plan.num_tasks(); ++b) {
        const bool overlap = plan.device[a] == plan.device[b] &&
                             arenas.offset[a] < arenas.offset[b] + size_of(b) &&
                             arenas.offset[b] < arenas.offset[a] + size_of(a);
        if (a == b || !overlap) {
          continue;
        }
        // One of the two is written, and read for the last time, before the other is written.
        const auto dead = [&](std::uint32_t old_task, std::uint32_t new_task) {
          return before[new_task][old_task] != 0 && !plan.successors(old_task).empty() &&
                 std::ranges::all_of(plan.successors(old_task), [&](std::uint32_t reader) {
                   return before[new_task][reader] != 0;
                 });
        };
        ++shared;
        EXPECT_TRUE(dead(a, b) || dead(b, a)) << planned.problem->name << " " << a << " " << b;
      }
    }
    EXPECT_GT(shared, 0U) << "nothing is reused: the test says nothing";
  });
}

TEST(StreamPlan, WaitsForNoEventThatIsNotNeeded) {
  Rng rng(3, {5});
  std::vector<std::pair<unsigned, unsigned>> edges;
  std::vector<unsigned> devices;
  for (unsigned v = 0; v < 40; ++v) {
    devices.push_back(static_cast<unsigned>(rng.below(3)));
    for (int i = 0; i < 3 && v > 0; ++i) {
      edges.emplace_back(static_cast<unsigned>(rng.below(v)), v);
    }
  }
  const auto problem = problem_of(graph_of(std::vector<double>(40, 1.0), edges, 0.5), 3);
  const StreamPlanned planned = plan_of(problem, placement_of(devices), {2, 1});
  ASSERT_GT(planned.streams.waits.size(), 10U);
  for (std::size_t left_out = 0; left_out < planned.streams.waits.size(); ++left_out) {
    EXPECT_GT(missing(planned, ended_before(planned, left_out)), 0U) << "wait " << left_out;
  }
}

TEST(StreamPlan, KeepsAChainOnOneStreamAndForksToAnother) {
  // 0 -> 1 -> 3, 0 -> 2 -> 3 on one device with two streams: 1 follows 0 on its stream, 2 goes to
  // the other and waits for 0; 3 follows 1 (the lower stream of its producers) and waits for 2.
  const auto problem = problem_of(graph_of({1, 1, 1, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), 1);
  const StreamPlanned planned = plan_of(problem, placement_of({0, 0, 0, 0}), {2, 1});
  std::vector<std::uint32_t> tasks;
  std::vector<std::uint32_t> numbers;
  for (const StreamPlan::Step& step : planned.streams.steps) {
    tasks.push_back(step.task);
    numbers.push_back(step.stream.number);
  }
  EXPECT_EQ(tasks, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(planned.streams.waits, (std::vector<std::uint32_t>{0, 2}));
}

TEST(StreamPlan, IssuesInTheOrderOfTheDiscipline) {
  const Graph graph = graph_of({1, 1, 1}, {});
  const auto problem = problem_of(graph, 1, Discipline::kPriority);
  const StreamPlanned planned = plan_of(problem, placement_of({0, 0, 0}, {2, 0, 1}), {1, 1});
  std::vector<std::uint32_t> tasks;
  for (const StreamPlan::Step& step : planned.streams.steps) {
    tasks.push_back(step.task);
  }
  EXPECT_EQ(tasks, (std::vector<std::uint32_t>{1, 2, 0}));
}

}  // namespace
}  // namespace berth::executors
