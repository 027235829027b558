// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A stream executor over the ranks of a group: threads, devices played on the host.

#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "broken_driver.hpp"
#include "core/stream_executor.hpp"
#include "cpu_executor.hpp"
#include "error_text.hpp"
#include "host_link.hpp"
#include "memory_group.hpp"
#include "workload_problems.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

/// How a rank's devices differ from sound ones.
struct RankFault {
  double pool_bytes = 0.0;  ///< Memory, 0: any.
  std::string link_fails = {};
  int launches = -1;  ///< Before `fail` is called; -1: never.
  std::function<void()> fail = {};
};

std::unique_ptr<StreamExecutor> open_rank(const PlacementProblem& problem,
                                          const StreamOptions& options,
                                          HostWire& wire,
                                          PeerGroup& peers,
                                          std::uint64_t seed,
                                          const RankFault& fault = {}) {
  const DeviceShare share(problem.topology.num_devices(), peers.size(), peers.rank());
  auto driver =
      std::make_unique<HostDriver>(share.count(), seed * 10 + peers.rank(), fault.pool_bytes);
  auto link = std::make_unique<HostLink>(wire, *driver, share);
  link->failing = fault.link_fails;
  RankDevices devices{std::move(driver), std::move(link)};
  if (fault.fail) {
    devices.driver =
        std::make_unique<BrokenDriver>(std::move(devices.driver), fault.launches, fault.fail);
  }
  return std::make_unique<StreamExecutor>(problem, options, std::move(devices), peers);
}

std::vector<std::vector<float>> outputs_of(const PlacementProblem& problem,
                                           const DeviceExecutor& executor) {
  std::vector<std::vector<float>> outputs;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    outputs.push_back(executor.output(to_id<OpId>(v)));
  }
  return outputs;
}

void expect_near(const std::vector<std::vector<float>>& found,
                 const std::vector<std::vector<float>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) {
    ASSERT_EQ(found[v].size(), expected[v].size()) << "op " << v;
    for (std::size_t i = 0; i < found[v].size(); ++i) {
      ASSERT_NEAR(found[v][i], expected[v][i], 2e-5F * (1.0F + std::abs(expected[v][i])));
    }
  }
}

/// Two ops on device 0, a third on device 1; the transfer takes 5 ms.
std::shared_ptr<const PlacementProblem> small_chain() {
  return problem_of(graph_of({2e-3, 1e-3, 1e-3}, {{0, 1}, {1, 2}}, 5e-3), 2);
}

/// What two ranks answer, each on its own device with its own fault, to one measurement.
std::vector<std::string> measure_small_chain(const RankFault& first,
                                             const RankFault& second,
                                             const MeasureSpec& spec,
                                             std::vector<Measurement>& found,
                                             double silence_seconds = 0.3) {
  const auto problem = small_chain();
  MemoryGroup group(2, silence_seconds);
  HostWire wire;
  found.resize(2);
  return run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    const auto executor = open_rank(*problem, {}, wire, peers, 1, rank == 0 ? first : second);
    found[rank] = executor->measure(placement_of({0, 0, 1}), spec);
  });
}

TEST(RankExecutor, RanksTogetherGiveTheResultsOfTheCpuInTheWorstOrder) {
  for (const std::uint32_t ranks : {2U, 3U}) {
    for (const char* word : kSmallWorkloads) {
      const auto problem = workload_problem(word, 2);
      CpuExecutor cpu(*problem, {});
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const Placement placement = any_placement(*problem, seed);
        ASSERT_EQ(cpu.measure(placement, {0, 1, 60.0}).status, RolloutStatus::kOk);
        MemoryGroup group(ranks);
        HostWire wire;
        std::vector<std::vector<std::vector<float>>> outputs(ranks);
        const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
          const auto executor = open_rank(*problem, {}, wire, peers, seed);
          // The second run finds what the first left in the arenas.
          ASSERT_EQ(executor->measure(placement, {1, 1, 0.0}).status, RolloutStatus::kOk);
          outputs[rank] = outputs_of(*problem, *executor);
        });
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          ASSERT_EQ(errors[rank], "") << word;
          expect_near(outputs[rank], outputs_of(*problem, cpu));
        }
        EXPECT_TRUE(wire.faults.empty()) << wire.faults[0];
        EXPECT_GT(wire.moved, 0U);
      }
    }
  }
}

TEST(RankExecutor, RunsManyPlacementsInTurnWithAnyNumberOfCopyStreams) {
  const auto problem = workload_problem(kSmallWorkloads[3], 2);
  CpuExecutor cpu(*problem, {});
  std::vector<std::vector<std::vector<float>>> expected;
  for (const std::uint64_t seed : {1, 2, 1, 3}) {
    ASSERT_EQ(cpu.measure(any_placement(*problem, seed), {0, 1, 60.0}).status, RolloutStatus::kOk);
    expected.push_back(outputs_of(*problem, cpu));
  }
  for (const std::uint32_t copy_streams : {1U, 3U}) {
    StreamOptions options;
    options.copy_streams = copy_streams;
    options.op_times = copy_streams == 1;
    MemoryGroup group(2);
    HostWire wire;
    const auto errors = run_ranks(group, [&](std::uint32_t, PeerGroup& peers) {
      const auto executor = open_rank(*problem, options, wire, peers, 5);
      std::size_t next = 0;
      for (const std::uint64_t seed : {1, 2, 1, 3}) {
        const Measurement found = executor->measure(any_placement(*problem, seed), {1, 2, 0.0});
        ASSERT_EQ(found.status, RolloutStatus::kOk);
        expect_near(outputs_of(*problem, *executor), expected[next++]);
      }
    });
    EXPECT_EQ(errors, std::vector<std::string>(2));
    EXPECT_TRUE(wire.faults.empty()) << wire.faults[0];
  }
}

TEST(RankExecutor, EveryRankHasTheSameMeasurementAndTheTraceOfAll) {
  const auto problem = small_chain();
  MemoryGroup group(2);
  HostWire wire;
  std::vector<Measurement> found(2);
  std::vector<Trace> traces(2);
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    const auto executor = open_rank(*problem, {}, wire, peers, 1);
    found[rank] = executor->measure(placement_of({0, 0, 1}), {1, 3, 10.0});
    traces[rank] = executor->last_trace();
    EXPECT_EQ(
        executor->description(),
        "2 ranks of 1 devices played on the host; between ranks: a wire; 1 compute and 2 copy "
        "streams a device, issued ahead, emulated links, 3 of 3 ops emulated by their stated "
        "times");
  });
  ASSERT_EQ(errors, std::vector<std::string>(2));
  EXPECT_EQ(found[0].seconds, found[1].seconds);
  EXPECT_EQ(found[0].seconds.size(), 3U);
  for (const Trace& trace : traces) {
    // 2 + 1 ms, 5 ms of emulated link, 1 ms.
    EXPECT_NEAR(trace.makespan, 9e-3, 1e-5);
    EXPECT_NEAR(trace.ops[1].finish, 3e-3, 1e-5);
    ASSERT_EQ(trace.transfers.size(), 1U);
    EXPECT_NEAR(trace.transfers[0].start, 3e-3, 1e-5);
    EXPECT_NEAR(trace.transfers[0].finish, 8e-3, 1e-5);
    EXPECT_GE(trace.ops[2].start, trace.transfers[0].finish);
  }
}

TEST(RankExecutor, TooLittleMemoryOfOneRankIsTheAnswerOfAll) {
  const auto problem = workload_problem(kSmallWorkloads[2], 1);
  MemoryGroup group(2);
  HostWire wire;
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    const auto executor =
        open_rank(*problem, {}, wire, peers, 1, {rank == 1 ? 1000.0 : 0.0, {}, -1, {}});
    for (int call = 0; call < 2; ++call) {  // the rank that has room must not go on alone
      const Measurement found = executor->measure(any_placement(*problem, 1), {0, 1, 0.0});
      EXPECT_EQ(found.status, RolloutStatus::kOutOfMemory);
      EXPECT_NE(found.reason.find("rank 1: the placement needs"), std::string::npos);
    }
    EXPECT_TRUE(executor->output(to_id<OpId>(0)).empty());
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
  EXPECT_EQ(wire.moved, 0U);
}

TEST(RankExecutor, ATimeOutOfOneRankIsTheAnswerOfAllAndTheNextRunIsSound) {
  const auto problem = problem_of(graph_of({1e-4, 0.5, 1e-4}, {{0, 2}, {1, 2}}), 2);
  MemoryGroup group(2);
  HostWire wire;
  const auto errors = run_ranks(group, [&](std::uint32_t, PeerGroup& peers) {
    const auto executor = open_rank(*problem, {}, wire, peers, 1);
    const Measurement late = executor->measure(placement_of({0, 1, 1}), {0, 3, 0.02});
    EXPECT_EQ(late.status, RolloutStatus::kTimeout);
    EXPECT_EQ(late.reason, "run 1 took longer than 20 ms");
    EXPECT_TRUE(late.seconds.empty());
    const Measurement patient = executor->measure(placement_of({0, 1, 1}), {0, 1, 20.0});
    EXPECT_EQ(patient.status, RolloutStatus::kOk);
    EXPECT_NEAR(patient.median_seconds, 0.5, 0.1);
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(RankExecutor, WithoutATimeOutARunEndsWhenOthersMayBeCalledSilent) {
  const auto problem = problem_of(graph_of({30.0, 1e-4}, {{0, 1}}), 2);
  MemoryGroup group(2, /*silence_seconds=*/0.2);
  HostWire wire;
  const auto errors = run_ranks(group, [&](std::uint32_t, PeerGroup& peers) {
    const auto executor = open_rank(*problem, {}, wire, peers, 1);
    const Measurement late = executor->measure(placement_of({0, 1}), {0, 1, 0.0});
    EXPECT_EQ(late.status, RolloutStatus::kTimeout);
    EXPECT_EQ(late.reason, "run 1 took longer than 200 ms");
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(RankExecutor, ARankThatFailsWithinARunIsNamedOnAll) {
  std::vector<Measurement> found;
  const RankFault fault{0.0, {}, 1, [] { throw RunError("an illegal address"); }};
  const auto errors = measure_small_chain(fault, {}, {0, 1, 0.05}, found);
  EXPECT_EQ(errors[0], "an illegal address");
  EXPECT_EQ(errors[1], "rank 0: an illegal address");
}

TEST(RankExecutor, ARankThatDiesWithoutAWordIsNamedWithinTheLimit) {
  for (const int launches : {0, 1}) {
    std::vector<Measurement> found;
    const RankFault fault{0.0, {}, launches, [] { throw Vanished(); }};
    const auto errors = measure_small_chain(fault, {}, {0, 1, 0.05}, found);
    EXPECT_EQ(errors[0], "vanished");
    EXPECT_EQ(errors[1], "silent: rank 0 (end of a run)");
  }
  std::vector<Measurement> found;
  const RankFault receiver{0.0, {}, 0, [] { throw Vanished(); }};
  const auto errors = measure_small_chain({}, receiver, {0, 1, 0.05}, found);
  EXPECT_EQ(errors[0], "silent: rank 1 (end of a run)");
}

TEST(RankExecutor, ATransferThatNeverEndsNamesTheOtherRank) {
  const auto problem = small_chain();
  MemoryGroup group(2, /*silence_seconds=*/1.0);
  HostWire wire;
  wire.loses = true;
  const auto errors = run_ranks(group, [&](std::uint32_t, PeerGroup& peers) {
    const auto executor = open_rank(*problem, {}, wire, peers, 1);
    static_cast<void>(executor->measure(placement_of({0, 0, 1}), {0, 1, 0.05}));
  });
  // Each says it of the other; the first to do so is heard by it.
  const std::string texts = errors[0] + errors[1];
  EXPECT_TRUE(
      texts.find("rank 0 is silent: the result of 'op1' did not come") != std::string::npos ||
      texts.find("rank 1 is silent: the result of 'op1' was not taken") != std::string::npos)
      << texts;
}

TEST(RankExecutor, ARankThatDiesBetweenRunsIsNamedWithinTheLimit) {
  const auto problem = small_chain();
  MemoryGroup group(2, /*silence_seconds=*/0.2);
  HostWire wire;
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    const auto executor = open_rank(*problem, {}, wire, peers, 1);
    static_cast<void>(executor->measure(placement_of({0, 0, 1}), {0, 1, 1.0}));
    if (rank == 1) {
      throw Vanished();
    }
    static_cast<void>(executor->measure(placement_of({0, 0, 1}), {0, 1, 1.0}));
  });
  EXPECT_EQ(errors[0], "silent: rank 1 (placement or number of runs)");
}

TEST(RankExecutor, ALinkThatFailsEndsTheRunWithItsReason) {
  std::vector<Measurement> found;
  const RankFault fault{0.0, "NCCL: remote error at rank 0", -1, {}};
  const auto errors = measure_small_chain({}, fault, {0, 1, 0.05}, found);
  EXPECT_EQ(errors[1], "NCCL: remote error at rank 0");
  EXPECT_NE(errors[0].find("rank 1"), std::string::npos) << errors[0];
}

TEST(RankExecutor, RefusesRunsThatTheRanksDoNotAgreeOn) {
  const auto problem = small_chain();
  for (const bool other_placement : {true, false}) {
    MemoryGroup group(2);
    HostWire wire;
    const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
      const auto executor = open_rank(*problem, {}, wire, peers, 1);
      const unsigned last = other_placement && rank == 1 ? 0 : 1;
      const std::uint32_t repeats = !other_placement && rank == 1 ? 2 : 1;
      static_cast<void>(executor->measure(placement_of({0, 0, last}), {0, repeats, 1.0}));
    });
    for (const std::string& error : errors) {
      EXPECT_EQ(error,
                "rank 1 has another placement or number of runs than rank 0; expected the same on "
                "every rank");
    }
  }
}

TEST(RankExecutor, RefusesProblemsThatDifferAndWhatElseDecidesPlans) {
  const auto problem = small_chain();
  const auto other_ops = problem_of(graph_of({1.0, 1.0}, {}), 2);
  const auto other_times = problem_of(graph_of({2e-3, 1e-3, 3e-3}, {{0, 1}, {1, 2}}, 5e-3), 2);
  StreamOptions other_streams;
  other_streams.copy_streams = 3;
  StreamOptions other_links;
  other_links.latency_seconds = 1e-3;
  const std::pair<const PlacementProblem*, StreamOptions> others[] = {
      {other_ops.get(), {}},
      {other_times.get(), {}},
      {problem.get(), other_streams},
      {problem.get(), other_links}};
  for (const auto& [other, options] : others) {
    MemoryGroup group(2);
    HostWire wire;
    const auto errors = run_ranks(
        group, [&, other = other, options = options](std::uint32_t rank, PeerGroup& peers) {
          static_cast<void>(open_rank(rank == 0 ? *problem : *other,
                                      rank == 0 ? StreamOptions{} : options,
                                      wire,
                                      peers,
                                      1));
        });
    EXPECT_EQ(errors[1], "rank 1 has another problem than rank 0; expected the same on every rank");
  }
}

TEST(RankExecutor, SaysWhatCannotSpanRanks) {
  const auto problem = small_chain();
  const auto error_of = [&](std::uint32_t ranks, const StreamOptions& options) {
    MemoryGroup group(ranks);
    HostWire wire;
    return run_ranks(group, [&](std::uint32_t, PeerGroup& peers) {
      static_cast<void>(open_rank(*problem, options, wire, peers, 1));
    })[0];
  };
  EXPECT_EQ(error_of(3, {}), "3 ranks for 2 devices; expected at most a rank a device");
  StreamOptions ready;
  ready.dispatch = DispatchMode::kReady;
  EXPECT_EQ(error_of(2, ready),
            "dispatch=ready with 2 ranks; expected dispatch=ahead, no host sees what ends on "
            "another rank");
  StreamOptions graphs;
  graphs.graphs = true;
  EXPECT_EQ(error_of(2, graphs),
            "graphs=true with 2 ranks; expected graphs=false, transfers between ranks are not "
            "replayed");
  EXPECT_EQ(error_of(1, graphs), "") << "a group of one is alone";
}

TEST(DeviceShare, DividesDevicesEvenlyInRankOrder) {
  for (std::uint32_t devices = 1; devices <= 9; ++devices) {
    for (std::uint32_t ranks = 1; ranks <= devices; ++ranks) {
      std::uint32_t next = 0;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const DeviceShare share(devices, ranks, rank);
        EXPECT_GE(share.count(), devices / ranks);
        EXPECT_LE(share.count(), devices / ranks + 1);
        for (std::uint32_t i = 0; i < share.count(); ++i, ++next) {
          EXPECT_TRUE(share.owns(next));
          EXPECT_EQ(share.owner(next), rank);
          EXPECT_EQ(share.local(next), i);
        }
      }
      EXPECT_EQ(next, devices);
    }
  }
}

}  // namespace
}  // namespace berth::executors
