// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/stream_executor.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "cpu_executor.hpp"
#include "error_text.hpp"
#include "host_driver.hpp"
#include "small_problem.hpp"
#include "tests/result_difference.hpp"
#include "workload_problems.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

/// An executor on devices that are played, and their driver.
struct Played {
  Played(const PlacementProblem& problem, const StreamOptions& options, std::uint64_t seed) {
    auto owned = std::make_unique<HostDriver>(problem.topology.num_devices(), seed);
    driver = owned.get();
    executor = std::make_unique<StreamExecutor>(problem, options, std::move(owned));
  }
  HostDriver* driver = nullptr;
  std::unique_ptr<StreamExecutor> executor;
};

void expect_the_results_of_the_cpu(const StreamOptions& options, std::uint32_t streams) {
  for (const char* word : kSmallWorkloads) {
    const auto problem = workload_problem(word, streams);
    CpuExecutor cpu(*problem, {});
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      // A driver of its own for each placement: fresh arenas are full of NaN.
      Played played(*problem, options, seed);
      const Placement placement = any_placement(*problem, seed);
      const std::uint32_t repeats = options.graphs ? 2 : 1;
      ASSERT_EQ(played.executor->measure(placement, {0, repeats, 0.0}).status, RolloutStatus::kOk);
      ASSERT_EQ(cpu.measure(placement, {0, 1, 60.0}).status, RolloutStatus::kOk);
      EXPECT_LT(berth::testing::result_difference(*problem, *played.executor, cpu), 2e-5)
          << word << " placement " << seed;
    }
  }
}

TEST(StreamExecutor, GivesTheResultsOfTheCpuInTheWorstOrderThatItsEventsAllow) {
  expect_the_results_of_the_cpu({}, 3);
}

TEST(StreamExecutor, GivesTheResultsOfTheCpuWhenDispatchedByTheHost) {
  StreamOptions options;
  options.dispatch = DispatchMode::kReady;
  expect_the_results_of_the_cpu(options, 2);
}

TEST(StreamExecutor, GivesTheResultsOfTheCpuFromAReplayedRun) {
  StreamOptions options;
  options.graphs = true;
  expect_the_results_of_the_cpu(options, 3);
}

TEST(StreamExecutor, AsksItsDriverForThePlanAndNothingElse) {
  for (const char* word : kSmallWorkloads) {
    const auto problem = workload_problem(word, 2);
    Played played(*problem, {}, 1);
    const Placement placement = any_placement(*problem, 1);
    ASSERT_EQ(played.executor->measure(placement, {0, 1, 0.0}).status, RolloutStatus::kOk);
    const ExecutionPlan plan = make_execution_plan(*problem, placement);
    const auto tasks = static_cast<std::uint32_t>(plan.num_tasks());
    // Around every launch and every copy the events of one task: its start and its end.
    std::vector<char> seen(tasks, 0);
    const auto& log = played.driver->log;
    for (std::size_t i = 0; i < log.size(); ++i) {
      const bool is_copy = log[i].kind == HostDriver::Kind::kCopy;
      if (!is_copy && log[i].kind != HostDriver::Kind::kLaunch) {
        continue;
      }
      const std::uint32_t task = log[i - 1].event - tasks;
      ASSERT_LT(task, tasks);
      EXPECT_EQ(log[i + 1].event, task);
      EXPECT_EQ(log[i - 1].stream, log[i].stream);
      EXPECT_EQ(log[i + 1].stream, log[i].stream);
      EXPECT_EQ(is_copy, plan.is_transfer(task));
      EXPECT_EQ(log[i].stream.device, plan.device[task]);
      EXPECT_EQ(log[i].stream.number >= 2, is_copy) << "copies have streams of their own";
      if (is_copy) {
        EXPECT_EQ(log[i].copy.from_device, plan.transfer_of(task).from);
        EXPECT_EQ(log[i].copy.to_device, plan.transfer_of(task).to);
      }
      EXPECT_EQ(seen[task]++, 0);
    }
    EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(tasks));
  }
}

TEST(StreamExecutor, DispatchedByTheHostIssuesNothingBeforeItsInputsAreThere) {
  const auto problem = workload_problem("llama-block:4", 2);
  StreamOptions options;
  options.dispatch = DispatchMode::kReady;
  Played played(*problem, options, 5);
  ASSERT_EQ(played.executor->measure(any_placement(*problem, 5), {0, 1, 0.0}).status,
            RolloutStatus::kOk);
  EXPECT_EQ(std::ranges::count(played.driver->log, HostDriver::Kind::kWait, &DriverAction::kind),
            0);
  const Trace trace = played.executor->last_trace();
  for (const OpInterval& op : trace.ops) {
    EXPECT_LE(op.ready, op.start);
    EXPECT_LT(op.start, op.finish);
  }
}

TEST(StreamExecutor, TakesAsLongOnItsStreamsAsTheSimulatorSays) {
  // Durations are all different, so no ties; transfers take no time, so links do not contend.
  Rng rng(6, {7});
  std::vector<double> work;
  std::vector<std::pair<unsigned, unsigned>> edges;
  for (unsigned v = 0; v < 200; ++v) {
    work.push_back(1e-3 * (0.1 + rng.uniform()));
    for (int i = 0; i < 2 && v > 0; ++i) {
      edges.emplace_back(static_cast<unsigned>(rng.below(v)), v);
    }
  }
  const Graph graph = graph_of(work, edges);
  for (const std::uint32_t streams : {1U, 3U}) {
    const auto problem = problem_of(graph, 4, Discipline::kFifo, streams);
    Played played(*problem, {}, streams);
    const Placement placement = any_placement(*problem, streams);
    ASSERT_EQ(played.executor->measure(placement, {0, 1, 0.0}).status, RolloutStatus::kOk);
    EXPECT_NEAR(played.executor->last_trace().makespan,
                Simulator(*problem).makespan(placement.device),
                1e-9);
  }
}

TEST(StreamExecutor, TimesOpsByEventsInTheOrderOfTheirDependencies) {
  const auto problem = problem_of(graph_of({2e-3, 1e-3, 1e-3}, {{0, 1}, {1, 2}}, 5e-3), 2);
  Played played(*problem, {}, 1);
  const Measurement found = played.executor->measure(placement_of({0, 0, 1}), {1, 2, 10.0});
  // 2 + 1 ms, 5 ms of emulated link, 1 ms; some microseconds for the driver's own actions.
  EXPECT_NEAR(found.median_seconds, 9e-3, 1e-4);
  const Trace trace = played.executor->last_trace();
  EXPECT_NEAR(trace.ops[0].finish - trace.ops[0].start, 2e-3, 1e-5);
  ASSERT_EQ(trace.transfers.size(), 1U);
  EXPECT_NEAR(trace.transfers[0].finish - trace.transfers[0].start, 5e-3, 1e-5);
  EXPECT_GE(trace.ops[2].start, trace.transfers[0].finish);
  EXPECT_NE(played.executor->description().find("emulated links"), std::string::npos);
}

TEST(StreamExecutor, LinksOfStatedLatencyAndBandwidthReplaceThoseOfTheTopology) {
  const auto problem = workload_problem(kSmallWorkloads[0], 1);
  StreamOptions options;
  options.latency_seconds = 1e-3;
  options.bytes_per_second = 1e6;
  Played played(*problem, options, 1);
  ASSERT_EQ(played.executor->measure(any_placement(*problem, 1), {0, 1, 0.0}).status,
            RolloutStatus::kOk);
  int copies = 0;
  for (const DriverAction& action : played.driver->log) {
    if (action.kind == HostDriver::Kind::kCopy) {
      ++copies;
      EXPECT_DOUBLE_EQ(action.copy.least_seconds,
                       1e-3 + static_cast<double>(action.copy.bytes) / 1e6);
    }
  }
  EXPECT_GT(copies, 0);
}

TEST(StreamExecutor, ATimeOutIsAScoredFailureAndTheNextRunIsSound) {
  for (const DispatchMode mode : {DispatchMode::kAhead, DispatchMode::kReady}) {
    StreamOptions options;
    options.dispatch = mode;
    const auto problem = problem_of(graph_of({30.0, 1e-4}, {{0, 1}}), 2);
    Played played(*problem, options, 1);
    const Measurement late = played.executor->measure(placement_of({0, 1}), {0, 3, 0.05});
    EXPECT_EQ(late.status, RolloutStatus::kTimeout);
    EXPECT_TRUE(late.seconds.empty());
    EXPECT_LT(played.driver->now(), 1.0) << "the rest of the run was cut short";
    const Measurement patient = played.executor->measure(placement_of({0, 1}), {0, 1, 40.0});
    EXPECT_EQ(patient.status, RolloutStatus::kOk);
    EXPECT_NEAR(patient.median_seconds, 30.0, 0.1);
  }
}

TEST(StreamExecutor, TooLittleMemoryIsAnAnswerBeforeAnythingIsLaunched) {
  const auto problem = workload_problem(kSmallWorkloads[2], 1);
  auto owned = std::make_unique<HostDriver>(4, 1, /*pool_bytes=*/1000.0);
  HostDriver* const driver = owned.get();
  StreamExecutor executor(*problem, {}, std::move(owned));
  const Measurement found = executor.measure(any_placement(*problem, 1), {0, 1, 0.0});
  EXPECT_EQ(found.status, RolloutStatus::kOutOfMemory);
  EXPECT_NE(found.reason.find("the double has 1 kB"), std::string::npos) << found.reason;
  EXPECT_TRUE(driver->log.empty());
}

TEST(StreamExecutor, RunsManyPlacementsInTurnOnTheSameArenas) {
  const auto problem = workload_problem(kSmallWorkloads[3], 2);
  Played played(*problem, {}, 9);
  CpuExecutor cpu(*problem, {});
  for (const std::uint64_t seed : {1, 2, 1, 3}) {
    const Placement placement = any_placement(*problem, seed);
    ASSERT_EQ(played.executor->measure(placement, {1, 2, 0.0}).status, RolloutStatus::kOk);
    ASSERT_EQ(cpu.measure(placement, {0, 1, 60.0}).status, RolloutStatus::kOk);
    EXPECT_LT(berth::testing::result_difference(*problem, *played.executor, cpu), 2e-5);
  }
}

TEST(StreamExecutor, ReplaysCannotBeDispatchedByTheHost) {
  const auto problem = problem_of(graph_of({1.0}, {}), 1);
  StreamOptions options;
  options.graphs = true;
  options.dispatch = DispatchMode::kReady;
  EXPECT_NE(error_text<InputError>([&] {
              const Played played(*problem, options, 1);
            }).find("expected dispatch=ahead"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::executors
