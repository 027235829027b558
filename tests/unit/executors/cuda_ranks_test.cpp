// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The CUDA driver's ranks: threads, each with a fake CUDA of its own.

#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "core/stream_executor.hpp"
#include "cpu_executor.hpp"
#include "cuda/cuda_driver.hpp"
#include "cuda/rank_devices.hpp"
#include "cuda/ring_link.hpp"
#include "error_text.hpp"
#include "fake_cuda.hpp"
#include "memory_group.hpp"
#include "workload_problems.hpp"
#ifdef BERTH_HAS_NCCL
#include "cuda/nccl_link.hpp"
#include "fake_nccl.hpp"
#endif

namespace berth::executors {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

/// What the ranks of a test see.
struct RankMachine {
  std::uint32_t ranks = 2;
  int gpus = 1;           ///< That each sees.
  bool is_apart = false;  ///< Every rank on a node of its own.
  std::uint32_t logical = 0;
  RankGpus takes = RankGpus::kShare;
};

CudaSettings rank_settings(const RankMachine& machine,
                           const DeviceShare& share,
                           std::uint32_t streams,
                           const StreamOptions& options) {
  CudaSettings settings;
  settings.devices = share.count();
  settings.all_devices = 4;
  settings.logical = machine.logical > 0 ? share.count() : 0;
  settings.compute_streams = streams;
  settings.copy_streams = 2 * options.copy_streams;
  return settings;
}

/// Runs placements of the four workloads on four devices of the ranks, and compares all results.
/// @return what the executor says of itself.
std::string expect_cpu_results_of_ranks(const RankMachine& machine) {
  std::string description;
  for (const char* word : kSmallWorkloads) {
    const auto problem = workload_problem(word, 2);
    CpuExecutor cpu(*problem, {});
    std::vector<std::vector<std::vector<float>>> expected;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      EXPECT_EQ(cpu.measure(any_placement(*problem, seed), {0, 1, 60.0}).status,
                RolloutStatus::kOk);
      expected.emplace_back();
      for (std::size_t v = 0; v < problem->graph.num_ops(); ++v) {
        expected.back().push_back(cpu.output(to_id<OpId>(v)));
      }
    }
    MemoryGroup group(machine.ranks);
    const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
      FakeCuda& fake = fresh_fake_cuda();
      fake.gpus = machine.gpus;
      fake.first_gpu = machine.is_apart ? static_cast<int>(rank) * machine.gpus : 0;
      const StreamOptions options;
      const DeviceShare share(4, machine.ranks, rank);
      {
        StreamExecutor executor(
            *problem,
            options,
            open_rank_devices(
                rank_settings(machine, share, 2, options), machine.takes, share, peers),
            peers);
        for (std::uint64_t seed = 0; seed < 2; ++seed) {
          const Measurement found = executor.measure(any_placement(*problem, seed), {1, 2, 0.0});
          ASSERT_EQ(found.status, RolloutStatus::kOk);
          EXPECT_GT(executor.last_trace().makespan, 0.0);
          for (std::size_t v = 0; v < problem->graph.num_ops(); ++v) {
            const std::vector<float> values = executor.output(to_id<OpId>(v));
            ASSERT_EQ(values.size(), expected[seed][v].size());
            for (std::size_t i = 0; i < values.size(); ++i) {
              ASSERT_NEAR(
                  values[i], expected[seed][v][i], 2e-5F * (1.0F + std::abs(expected[seed][v][i])))
                  << word;
            }
          }
        }
        if (rank == 0) {
          description = executor.description();
        }
      }
      for (const std::string& fault : fake.faults) {
        ADD_FAILURE() << "rank " << rank << ": " << fault;
      }
      EXPECT_EQ(fake.alive(), 0U) << "something was not freed";
    });
    EXPECT_EQ(errors, std::vector<std::string>(machine.ranks)) << word;
  }
  return description;
}

TEST(CudaRanks, RanksThatShareAGpuExchangeResultsThroughMemoryOfTheHost) {
  RankMachine machine;
  machine.logical = 4;
  EXPECT_EQ(expect_cpu_results_of_ranks(machine),
            "2 ranks of 2 logical devices emulated on 1 GPU (fake); between ranks: memory of the "
            "host; 2 compute and 2 copy streams a device, issued ahead, real kernels");
  machine.ranks = 4;
  expect_cpu_results_of_ranks(machine);
}

TEST(CudaRanks, AResultLargerThanTheRingGoesThroughItInChunks) {
  constexpr std::size_t kReals = 6 * SharedRing::kSlotBytes / sizeof(float) + 3;
  MemoryGroup group(2);
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    FakeCuda& fake = fresh_fake_cuda();
    const DeviceShare share(2, 2, rank);
    {
      CudaDriver driver({1, 1, 1, 2});
      std::vector<char> others(2, 1);
      others[rank] = 0;
      RingLink link(open_rings(peers, others), driver, share);
      float* const memory = driver.allocate(0, kReals * sizeof(float));
      std::vector<float> values(kReals);
      for (int round = 1; round <= 2; ++round) {
        link.connect({});
        static_cast<void>(peers.all_gather({}, "round", 0.0));
        const RankTransfer transfer{{0, 1}, kReals * sizeof(float), 0.0};
        if (rank == 0) {
          for (std::size_t i = 0; i < kReals; ++i) {
            values[i] = static_cast<float>(i % 1000 * static_cast<std::size_t>(round));
          }
          driver.write(0, memory, values);
          link.send({0, 2}, memory, transfer);
        } else {
          link.receive({0, 1}, memory, transfer);
          driver.read(0, memory, values);
          for (std::size_t i = 0; i < kReals; ++i) {
            ASSERT_EQ(values[i], static_cast<float>(i % 1000 * static_cast<std::size_t>(round)));
          }
        }
        static_cast<void>(peers.all_gather({}, "end of round", 0.0));
      }
      driver.release(0, memory);
    }
    EXPECT_TRUE(fake.faults.empty()) << fake.faults[0];
    EXPECT_EQ(fake.alive(), 0U);
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(CudaRanks, AWaitForARankThatIsGoneEndsWhenTheDriverIsCancelled) {
  MemoryGroup group(2);
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    FakeCuda& fake = fresh_fake_cuda();
    const DeviceShare share(2, 2, rank);
    {
      CudaDriver driver({1, 1, 1, 2});
      std::vector<char> others(2, 1);
      others[rank] = 0;
      RingLink link(open_rings(peers, others), driver, share);
      if (rank == 1) {
        float* const memory = driver.allocate(0, sizeof(float));
        link.abort();
        link.receive({0, 1}, memory, {{0, 1}, sizeof(float), 0.0});
        driver.release(0, memory);
      }
    }
    EXPECT_TRUE(fake.faults.empty()) << fake.faults[0];
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(CudaRanks, RanksDivideTheGpusOfTheirNodeOrTakeTheirOwn) {
  // Index of the rank, ranks, GPUs: what it takes.
  EXPECT_EQ(part_of_gpus(0, 1, 8), (GpuRange{0, 8}));  // one rank a node
  EXPECT_EQ(part_of_gpus(5, 8, 8), (GpuRange{5, 1}));  // one rank a GPU
  EXPECT_EQ(part_of_gpus(1, 2, 8), (GpuRange{4, 4}));
  EXPECT_EQ(part_of_gpus(1, 3, 8), (GpuRange{2, 3}));  // 2, 3 and 3
  EXPECT_EQ(part_of_gpus(3, 4, 2), (GpuRange{1, 1}));  // two ranks a GPU
  EXPECT_EQ(part_of_gpus(1, 4, 2), (GpuRange{0, 1}));

  MemoryGroup group(2);
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    fresh_fake_cuda().gpus = 1;
    const DeviceShare share(2, 2, rank);
    static_cast<void>(open_rank_devices({1, 0, 1, 4}, RankGpus::kOwn, share, peers));
  });
  EXPECT_EQ(errors[1],
            "cuda: rank_gpus=own: this is rank 1 of its node, counted from 0, which has 1 GPU; "
            "expected at most a rank a GPU, or rank_gpus=share");
}

TEST(CudaRanks, TooFewGpusOfARankAreSaidWithWhatWouldDo) {
  MemoryGroup group(2);
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    fresh_fake_cuda().gpus = 2;
    const DeviceShare share(4, 2, rank);
    CudaSettings settings{2, 0, 1, 4};
    settings.all_devices = 4;
    static_cast<void>(open_rank_devices(settings, RankGpus::kShare, share, peers));
  });
  EXPECT_EQ(errors[1],
            "cuda: the topology has 4 devices, 2 of them for this rank, GPUs here: 1; expected as "
            "many, for example cuda(logical=4)");
}

#ifdef BERTH_HAS_NCCL

TEST(CudaRanks, RanksOnGpusOfTheirOwnExchangeResultsByNccl) {
  for (const bool is_apart : {false, true}) {
    FakeNccl& nccl = fresh_fake_nccl();
    RankMachine machine;
    machine.gpus = is_apart ? 2 : 4;
    machine.is_apart = is_apart;
    const std::string description = expect_cpu_results_of_ranks(machine);
    EXPECT_EQ(description.rfind("2 ranks of 2 GPUs (fake) with peer access; between ranks: NCCL "
                                "2.28; ",
                                0),
              0U)
        << description;
    EXPECT_GT(nccl.transfers, 0U);
    // Of four workloads: two GPUs of each rank, both ways, and no more though placements change.
    EXPECT_LE(nccl.communicators, 4U * 8U);
  }
}

TEST(CudaRanks, RanksOnTheirOwnGpuOfANode) {
  fresh_fake_nccl();
  RankMachine machine;
  machine.ranks = 4;
  machine.gpus = 4;
  machine.takes = RankGpus::kOwn;
  expect_cpu_results_of_ranks(machine);
}

TEST(CudaRanks, SomeShareAGpuAndSomeDoNot) {
  FakeNccl& nccl = fresh_fake_nccl();
  RankMachine machine;
  machine.ranks = 4;
  machine.gpus = 2;
  machine.logical = 4;
  EXPECT_NE(expect_cpu_results_of_ranks(machine).find(
                "between ranks: NCCL 2.28, memory of the host where ranks share a GPU; "),
            std::string::npos);
  EXPECT_GT(nccl.transfers, 0U);
}

TEST(NcclLink, APeerThatIsGoneIsNamedWithinTheLimit) {
  fresh_fake_nccl();
  MemoryGroup group(2, /*silence_seconds=*/0.3);
  const std::uint32_t gpu_of[] = {0, 1};
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    FakeCuda& fake = fresh_fake_cuda();
    fake.first_gpu = static_cast<int>(rank);
    if (rank == 1) {
      static_cast<void>(peers.all_gather({}, "addresses of NCCL", 0.0));
      throw Vanished();
    }
    {
      CudaDriver driver({1, 0, 1, 4});
      const auto link = open_nccl_link(driver, peers, DeviceShare(2, 2, 0), gpu_of);
      const DevicePair pairs[] = {{0, 1}};
      EXPECT_EQ(error_text<RunError>([&] { link->connect(pairs); }),
                "NCCL: ncclCommInitRankConfig with rank 1: no answer within 300 ms");
    }
    EXPECT_EQ(fake.alive(), 0U);
  });
  EXPECT_EQ(errors[0], "");
}

TEST(NcclLink, ReportsACommunicatorThatBrokeAndIsOfNoUseAfterAnAbort) {
  FakeNccl& nccl = fresh_fake_nccl();
  MemoryGroup group(2);
  const std::uint32_t gpu_of[] = {0, 1};
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    FakeCuda& fake = fresh_fake_cuda();
    fake.first_gpu = static_cast<int>(rank);
    {
      CudaDriver driver({1, 0, 1, 4});
      const auto link = open_nccl_link(driver, peers, DeviceShare(2, 2, rank), gpu_of);
      const DevicePair pairs[] = {{0, 1}, {1, 0}};
      link->connect(pairs);
      EXPECT_EQ(link->failure(), "");
      static_cast<void>(peers.all_gather({}, "sound", 0.0));
      nccl.is_broken = true;
      EXPECT_EQ(
          link->failure(),
          "NCCL: transfers with rank " + std::to_string(1 - rank) + ": remote process exited");
      link->abort();
      EXPECT_EQ(fake.communicators, 0U);
      EXPECT_NE(error_text<RunError>([&] { link->connect(pairs); }).find("expected a new executor"),
                std::string::npos);
    }
    EXPECT_TRUE(fake.faults.empty()) << fake.faults[0];
    EXPECT_EQ(fake.alive(), 0U);
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(NcclLink, TwoRanksOnOneGpuAreRefusedByNcclAndSaidSo) {
  fresh_fake_nccl();
  MemoryGroup group(2);
  const std::uint32_t gpu_of[] = {0, 1};
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    fresh_fake_cuda();
    CudaDriver driver({1, 0, 1, 4});
    const auto link = open_nccl_link(driver, peers, DeviceShare(2, 2, rank), gpu_of);
    const DevicePair pairs[] = {{0, 1}};
    link->connect(pairs);
  });
  EXPECT_NE((errors[0] + errors[1]).find("ncclCommInitRankConfig with rank"), std::string::npos);
}

#else

TEST(CudaRanks, WithoutNcclRanksOnGpusOfTheirOwnSayWhatIsMissing) {
  MemoryGroup group(2);
  const auto errors = run_ranks(group, [&](std::uint32_t rank, PeerGroup& peers) {
    fresh_fake_cuda().gpus = 2;
    const DeviceShare share(2, 2, rank);
    static_cast<void>(open_rank_devices({1, 0, 1, 4}, RankGpus::kShare, share, peers));
  });
  EXPECT_EQ(
      errors[0],
      "cuda: ranks on different GPUs need NCCL, and Berth was built without; expected a build "
      "that found nccl.h, or ranks that share a GPU");
}

#endif

}  // namespace
}  // namespace berth::executors
