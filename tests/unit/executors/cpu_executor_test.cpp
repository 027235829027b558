// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cpu_executor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "cache_eviction.hpp"
#include "error_text.hpp"
#include "host_memory.hpp"
#include "small_problem.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

/// Times are those of a shared machine: only what no delay can undo is asserted.
constexpr double kMillisecond = 1e-3;

TEST(CpuExecutor, ReportsEveryRepeatAndTheirMedian) {
  const auto problem = problem_of(graph_of({kMillisecond, kMillisecond}, {{0, 1}}), 1);
  CpuExecutor executor(*problem, {});
  const Measurement found = executor.measure(placement_of({0, 0}), {1, 4, 10.0});
  ASSERT_EQ(found.seconds.size(), 4U);
  auto sorted = found.seconds;
  std::ranges::sort(sorted);
  EXPECT_DOUBLE_EQ(found.median_seconds, 0.5 * (sorted[1] + sorted[2]));
}

TEST(CpuExecutor, ATraceKeepsDependenciesAndOneOpAtATimeOnADevice) {
  const Graph graph = graph_of(std::vector<double>(8, 0.2 * kMillisecond),
                               {{0, 4}, {1, 4}, {2, 5}, {3, 6}, {4, 7}, {5, 7}, {6, 7}},
                               0.1 * kMillisecond);
  const auto problem = problem_of(graph, 2);
  CpuExecutor executor(*problem, {});
  for (const std::vector<unsigned>& devices :
       {std::vector<unsigned>{0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}}) {
    ASSERT_EQ(executor.measure(placement_of(devices), {0, 1, 10.0}).status, RolloutStatus::kOk);
    const Trace trace = executor.last_trace();
    ASSERT_EQ(trace.ops.size(), 8U);
    for (std::size_t a = 0; a < 8; ++a) {
      EXPECT_EQ(index(trace.ops[a].device), devices[a]);
      EXPECT_LE(trace.ops[a].ready, trace.ops[a].start);
      EXPECT_LT(trace.ops[a].start, trace.ops[a].finish);
      for (const OpId producer : graph.predecessors(to_id<OpId>(a))) {
        EXPECT_GE(trace.ops[a].start, trace.ops[index(producer)].finish);
      }
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_TRUE(devices[a] != devices[b] || trace.ops[a].start >= trace.ops[b].finish ||
                    trace.ops[b].start >= trace.ops[a].finish);
      }
    }
    for (const TransferInterval& transfer : trace.transfers) {
      EXPECT_GE(transfer.start, transfer.request);
      EXPECT_GE(trace.ops[index(transfer.consumer)].start, transfer.finish);
      EXPECT_GE(transfer.finish - transfer.request, 0.1 * kMillisecond * (1 - 1e-9));
    }
  }
}

TEST(CpuExecutor, AnEmulatedLinkDelaysItsConsumer) {
  const auto problem = problem_of(graph_of({1e-5, 1e-5}, {{0, 1}}, 20 * kMillisecond), 2);
  CpuExecutor executor(*problem, {});
  const Measurement apart = executor.measure(placement_of({0, 1}), {0, 1, 10.0});
  EXPECT_GE(apart.median_seconds, 20 * kMillisecond);
  EXPECT_NE(executor.description().find("emulated links"), std::string::npos);
}

TEST(CpuExecutor, ALinkDeliversToABusyDeviceWhenItDoesAndNotWhenTheDeviceCopies) {
  // 1 keeps its device busy while 0's result comes for 2.
  const auto problem =
      problem_of(graph_of({1e-5, 50 * kMillisecond, 1e-4}, {{0, 2}}, 5 * kMillisecond), 2);
  CpuExecutor executor(*problem, {});
  const Trace trace = executor.trace(placement_of({0, 1, 1}));
  ASSERT_EQ(trace.transfers.size(), 1U);
  const TransferInterval& transfer = trace.transfers[0];
  EXPECT_NEAR(transfer.finish - transfer.start, 5 * kMillisecond, 1e-9);  // not when it was copied
  EXPECT_EQ(trace.ops[2].ready, transfer.finish);
}

TEST(HostMemory, LargeBlocksBeginWhereHugePagesDoAndAllAreAligned) {
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  HostMemory memory;
  for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{100}, kHugePage + 4}) {
    float* const block = memory.allocate(0, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (bytes < kHugePage ? 64 : kHugePage), 0U);
    block[bytes / sizeof(float) - 1] = 1.0F;
    memory.release(0, block);
  }
}

TEST(CpuExecutor, HonoursAStaticOrder) {
  const auto problem = problem_of(graph_of({1e-4, 1e-4, 1e-4}, {}), 1);
  CpuExecutor executor(*problem, {});
  const Trace trace = executor.trace(placement_of({0, 0, 0}, {2, 0, 1}));
  EXPECT_LT(trace.ops[1].start, trace.ops[2].start);
  EXPECT_LT(trace.ops[2].start, trace.ops[0].start);
}

TEST(CpuExecutor, StreamsOfADeviceOverlap) {
  const auto problem =
      problem_of(graph_of({50 * kMillisecond, 50 * kMillisecond}, {}), 1, Discipline::kAuto, 2);
  CpuExecutor executor(*problem, {});
  const Trace trace = executor.trace(placement_of({0, 0}));
  EXPECT_LT(std::max(trace.ops[0].start, trace.ops[1].start),
            std::min(trace.ops[0].finish, trace.ops[1].finish));
  EXPECT_NE(trace.ops[0].stream, trace.ops[1].stream);
}

TEST(CpuExecutor, ATimeOutIsAScoredFailureAndTheNextRunIsSound) {
  const auto problem = problem_of(graph_of({30.0, 1e-4}, {{0, 1}}), 2);
  CpuExecutor executor(*problem, {});
  const Measurement late = executor.measure(placement_of({0, 1}), {0, 3, 0.05});
  EXPECT_EQ(late.status, RolloutStatus::kTimeout);
  EXPECT_TRUE(late.seconds.empty());
  EXPECT_NE(late.reason.find("longer than 50 ms"), std::string::npos) << late.reason;
  const auto quick = problem_of(graph_of({1e-4, 1e-4}, {{0, 1}}), 2);
  CpuExecutor other(*quick, {});
  EXPECT_EQ(other.measure(placement_of({0, 1}), {0, 3, 5.0}).status, RolloutStatus::kOk);
  EXPECT_EQ(executor.measure(placement_of({0, 1}), {0, 1, 0.05}).status, RolloutStatus::kTimeout);
}

TEST(CpuExecutor, TooLittleMemoryOnADeviceIsAScoredFailureBeforeAnythingRuns) {
  GraphBuilder builder("wide");
  builder.cost_basis(CostBasis::kPhysical);
  for (int i = 0; i < 2; ++i) {
    OpSpec op;
    op.kernel = "exp s0:1024 h0:1024 ; sh#0";  // 4 MiB of result, 4 MiB of input
    builder.add_op(std::move(op));
  }
  TopologyBuilder devices("tight");
  for (int d = 0; d < 2; ++d) {
    DeviceSpec device;
    device.memory = Bytes{9.0 * 1024 * 1024};
    devices.add_device(std::move(device));
  }
  const LinkId link = devices.add_link({});
  devices.route(to_id<DeviceId>(0), to_id<DeviceId>(1), {link});
  devices.route(to_id<DeviceId>(1), to_id<DeviceId>(0), {link});
  const auto problem = make_problem("wide", builder.freeze(), devices.freeze(), {});
  CpuExecutor executor(*problem, {});
  const Measurement both = executor.measure(placement_of({0, 0}), {0, 1, 10.0});
  EXPECT_EQ(both.status, RolloutStatus::kOutOfMemory);
  EXPECT_NE(both.reason.find("'device0' needs"), std::string::npos) << both.reason;
  EXPECT_EQ(executor.measure(placement_of({0, 1}), {0, 1, 10.0}).status, RolloutStatus::kOk);
  error_text<RunError>([&] { static_cast<void>(executor.makespan(placement_of({0, 0}))); });
}

TEST(CpuExecutor, ReusesTheMemoryOfSentResultsWhereThereIsTooLittleOtherwise) {
  // To the second device and back, 4 MiB each: on the first an input, the first result, the copy
  // of the second and the third result, 16 MiB, or 12 if the first result gives way.
  GraphBuilder builder("there and back");
  builder.cost_basis(CostBasis::kPhysical);
  for (const char* const source : {"#0", "@0", "@1"}) {
    OpSpec op;
    op.kernel = std::string("exp s0:1024 h0:1024 ; sh") + source;
    op.output_bytes = 4.0 * 1024 * 1024;
    builder.add_op(std::move(op));
  }
  builder.add_edge(to_id<OpId>(0), to_id<OpId>(1), 4.0 * 1024 * 1024);
  builder.add_edge(to_id<OpId>(1), to_id<OpId>(2), 4.0 * 1024 * 1024);
  const Graph graph = builder.freeze();
  const auto run_in = [&graph](double mebibytes) {
    TopologyBuilder devices("tight");
    DeviceSpec device;
    device.memory = Bytes{mebibytes * 1024 * 1024};
    devices.add_device(device);
    devices.add_device(device);
    const LinkId link = devices.add_link({});
    devices.route(to_id<DeviceId>(0), to_id<DeviceId>(1), {link});
    devices.route(to_id<DeviceId>(1), to_id<DeviceId>(0), {link});
    const auto problem = make_problem("there and back", graph, devices.freeze(), {});
    CpuExecutor executor(*problem, {});
    const Measurement found = executor.measure(placement_of({0, 1, 0}), {0, 2, 10.0});
    return std::pair(found.status, executor.output(to_id<OpId>(2)));
  };
  const auto roomy = run_in(17.0);
  const auto tight = run_in(13.0);
  EXPECT_EQ(roomy.first, RolloutStatus::kOk);
  EXPECT_EQ(tight.first, RolloutStatus::kOk);
  EXPECT_EQ(tight.second, roomy.second);
  EXPECT_EQ(run_in(11.0).first, RolloutStatus::kOutOfMemory);
}

TEST(CpuExecutor, SaysWhenDevicesOutnumberCores) {
  const auto problem = problem_of(graph_of({1e-5}, {}), 64);
  CpuExecutor executor(*problem, {false, 64, 0});
  EXPECT_NE(executor.description().find("devices share them"), std::string::npos);
  EXPECT_EQ(executor.measure(placement_of({63}), {0, 2, 10.0}).status, RolloutStatus::kOk);
}

TEST(CpuExecutor, RefusesAGraphWithoutOps) {
  const auto problem = problem_of(graph_of({}, {}), 1);
  error_text<InputError>([&] { const CpuExecutor executor(*problem, {}); });
}

TEST(CacheEviction, LeavesValuesAsTheyAre) {
  alignas(64) std::array<float, 1000> memory{};
  std::iota(memory.begin(), memory.end(), 0.0F);
  const std::array<float, 1000> before = memory;
  evict_from_caches(memory);
  evict_from_caches({});
  EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace berth::executors
