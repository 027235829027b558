// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/cuda_driver.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "core/stream_executor.hpp"
#include "cpu_executor.hpp"
#include "datasets/workloads/workload_word.hpp"
#include "error_text.hpp"
#include "fake_cuda.hpp"
#include "small_problem.hpp"

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

constexpr const char* kFakeWords[] = {"workload:chain-mm:4:physical:i24j24k24l24m24",
                                      "workload:ffnn:4:physical:b32i8o6h20",
                                      "workload:llama-block:4:physical:s16h24n4d8f40v32",
                                      "workload:llama-layer:4:physical:s16h24n4d8f40v32"};

std::shared_ptr<const PlacementProblem> four_devices(const char* word) {
  ExecutionOptions execution;
  execution.streams = 2;
  return make_problem(word, datasets::make_workload_of(word), Topology::uniform(4), execution);
}

std::string faults_of(const FakeCuda& fake) {
  std::string all;
  for (const std::string& fault : fake.faults) {
    all += fault + "\n";
  }
  return all;
}

/// Four devices on so many GPUs, logical ones where there are fewer.
void expect_cpu_results(int gpus, const StreamOptions& options) {
  for (const char* word : kFakeWords) {
    FakeCuda& fake = fresh_fake_cuda();
    fake.gpus = gpus;
    const auto problem = four_devices(word);
    CpuExecutor cpu(*problem, {});
    {
      const CudaSettings settings{4, gpus < 4 ? 4U : 0U, 2, options.copy_streams};
      StreamExecutor executor(*problem, options, std::make_unique<CudaDriver>(settings));
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Rng rng(seed, {3});
        std::vector<unsigned> devices;
        for (std::size_t v = 0; v < problem->graph.num_ops(); ++v) {
          devices.push_back(static_cast<unsigned>(rng.below(4)));
        }
        const Placement placement = placement_of(devices);
        ASSERT_EQ(executor.measure(placement, {1, 2, 0.0}).status, RolloutStatus::kOk);
        ASSERT_EQ(cpu.measure(placement, {0, 1, 60.0}).status, RolloutStatus::kOk);
        for (std::size_t v = 0; v < problem->graph.num_ops(); ++v) {
          const std::vector<float> found = executor.output(to_id<OpId>(v));
          const std::vector<float> expected = cpu.output(to_id<OpId>(v));
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_NEAR(found[i], expected[i], 2e-5F * (1.0F + std::abs(expected[i]))) << word;
          }
        }
      }
      EXPECT_EQ(fake.peer_copies > 0, gpus > 1);
      EXPECT_EQ(fake.replays, options.graphs ? 6U : 0U);
    }
    EXPECT_EQ(faults_of(fake), "") << word;
    EXPECT_EQ(fake.alive(), 0U) << "something was not freed";
  }
}

TEST(CudaDriver, CallsCudaSoundlyOnFourGpusOnTwoAndOnOne) {
  for (const int gpus : {4, 2, 1}) {
    expect_cpu_results(gpus, {});
  }
}

TEST(CudaDriver, RoundsTheOperandsOfProductsToWhatItIsAskedFor) {
  FakeCuda& fake = fresh_fake_cuda();
  const auto product = [](ProductPrecision precision) {
    CudaSettings settings{1, 0, 1, 1};
    settings.products = precision;
    CudaDriver driver(settings);
    // 1 + 2^-9 needs 9 bits of mantissa, 1 + 2^-13 needs 13; TF32 has 10, bfloat16 7.
    const std::vector<float> row = {1.0F + 0x1p-9F, 1.0F + 0x1p-13F};
    std::vector<float> sum(1);
    float* const memory = driver.allocate(0, 8 * sizeof(float));
    driver.write(0, memory, row);
    driver.write(0, memory + 2, std::vector<float>{1.0F, 1.0F});
    ProductCall call;
    call.k = 2;
    call.lda = 2;
    call.a = memory;
    call.b = memory + 2;
    call.c = memory + 4;
    const KernelCall one = call;
    driver.launch({0, 0}, std::span(&one, 1));
    driver.synchronize();
    driver.read(0, memory + 4, sum);
    driver.release(0, memory);
    return std::pair(sum[0], driver.description());
  };

  EXPECT_EQ(product(ProductPrecision::kFloat32).first, 2.0F + 0x1p-9F + 0x1p-13F);
  EXPECT_EQ(product(ProductPrecision::kTf32).first, 2.0F + 0x1p-9F);
  EXPECT_EQ(product(ProductPrecision::kBfloat16).first, 2.0F);
  EXPECT_EQ(product(ProductPrecision::kFloat32).second.find("products"), std::string::npos);
  EXPECT_NE(product(ProductPrecision::kTf32).second.find("products in TF32"), std::string::npos);
  EXPECT_NE(product(ProductPrecision::kBfloat16).second.find("products in bfloat16"),
            std::string::npos);
  EXPECT_EQ(faults_of(fake), "");
}

TEST(CudaDriver, CallsCudaSoundlyWhenTheHostDispatches) {
  StreamOptions options;
  options.dispatch = DispatchMode::kReady;
  expect_cpu_results(4, options);
}

TEST(CudaDriver, CapturesAllStreamsOfAllGpusAndReplaysThem) {
  StreamOptions options;
  options.graphs = true;
  for (const int gpus : {4, 1}) {
    expect_cpu_results(gpus, options);
  }
}

TEST(CudaDriver, HoldsLimitedCopiesAndSpinsForStatedTimes) {
  FakeCuda& fake = fresh_fake_cuda();
  const auto problem = problem_of(graph_of({2e-3, 1e-3}, {{0, 1}}, 5e-3), 2);
  {
    StreamExecutor executor(*problem, {}, std::make_unique<CudaDriver>(CudaSettings{2, 2, 1, 2}));
    ASSERT_EQ(executor.measure(placement_of({0, 1}), {0, 1, 0.0}).status, RolloutStatus::kOk);
    const Trace trace = executor.last_trace();
    EXPECT_NEAR(trace.ops[0].finish - trace.ops[0].start, 2e-3, 2e-5);
    EXPECT_NEAR(trace.transfers[0].finish - trace.transfers[0].start, 5e-3, 2e-5);
    EXPECT_NEAR(trace.makespan, 8e-3, 5e-5);
    EXPECT_NE(executor.description().find("2 logical devices emulated on 1 GPU (fake)"),
              std::string::npos);
  }
  EXPECT_EQ(fake.held_copies, 1U);
  EXPECT_EQ(faults_of(fake), "");
}

TEST(CudaDriver, DriversOfOneThreadDoNotDisturbEachOther) {
  FakeCuda& fake = fresh_fake_cuda();
  fake.gpus = 2;
  const auto problem = problem_of(graph_of({1e-4, 1e-4}, {{0, 1}}), 2);
  {
    const CudaSettings settings{2, 0, 1, 2};
    StreamExecutor first(*problem, {}, std::make_unique<CudaDriver>(settings));
    StreamExecutor second(*problem, {}, std::make_unique<CudaDriver>(settings));
    for (StreamExecutor* const executor : {&first, &second, &first}) {
      EXPECT_EQ(executor->measure(placement_of({0, 1}), {1, 1, 0.0}).status, RolloutStatus::kOk);
    }
  }
  EXPECT_EQ(faults_of(fake), "");
}

TEST(CudaDriver, SaysWhatIsMissing) {
  FakeCuda& fake = fresh_fake_cuda();
  EXPECT_NE(error_text<RunError>([] {
              const CudaDriver driver({4, 0, 1, 2});
            }).find("has 4 devices, GPUs here: 1; expected as many, for example cuda(logical=4)"),
            std::string::npos);
  fake.gpus = 0;
  EXPECT_NE(error_text<PluginError>([] {
              const CudaDriver driver({1, 0, 1, 2});
            }).find("no GPU can be used: none is visible"),
            std::string::npos);
  fake.has_driver = false;
  EXPECT_NE(error_text<PluginError>([] {
              const CudaDriver driver({1, 4, 1, 2});
            }).find("no GPU can be used: no driver"),
            std::string::npos);
  EXPECT_EQ(fake.alive(), 0U);
}

}  // namespace
}  // namespace berth::executors
