// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Placements that span two processes, beside the cpu executor. Each process is forked before any
// call of CUDA, which does not survive a fork.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cpu_executor.hpp"
#include "cuda/cuda_driver.hpp"
#include "cuda/rank_devices.hpp"
#include "device_checks.hpp"
#include "socket_peer.hpp"
#include "tests/result_difference.hpp"

namespace berth::device_check {
namespace {

using executors::CudaSettings;
using executors::DeviceShare;
using executors::RankGpus;
using executors::StreamExecutor;
using executors::StreamOptions;

constexpr std::uint32_t kDevices = 4;

/// What one of two ranks does; the first of them compares and prints.
void check_as_rank(PeerGroup& peers, const char* name, CheckTable& table) {
  for (const char* word : {"chain-mm:4:physical:i800j800k800l800m800",
                           "ffnn:4:physical:b256i64o24h512",
                           "llama-layer:4:physical:s64h96n4d24f160v128"}) {
    const auto problem = workload_on(word, kDevices, /*streams=*/3, ExecutionModel::kPull);
    const DeviceShare share(kDevices, peers.size(), peers.rank());
    const StreamOptions options;
    CudaSettings settings;
    settings.devices = settings.logical = share.count();
    settings.compute_streams = 3;
    settings.copy_streams = 2 * options.copy_streams;
    StreamExecutor gpu(
        *problem, options, open_rank_devices(settings, RankGpus::kShare, share, peers), peers);
    executors::CpuExecutor cpu(*problem, {});
    double worst = 0.0;
    std::string failure;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Placement placement = random_placement(*problem, seed);
      failure += gpu.measure(placement, {1, 3, 30.0}).reason;
      failure += cpu.measure(placement, {0, 1, 60.0}).reason;
      worst = std::max(worst, berth::testing::result_difference(*problem, gpu, cpu));
    }
    const Measurement late = gpu.measure(random_placement(*problem, 0), {0, 1, 1e-6});
    failure += late.status == RolloutStatus::kTimeout ? "" : " no time-out in 1 us";
    // The run after it must be sound again; the cpu executor still holds the last placement.
    failure += gpu.measure(random_placement(*problem, 2), {0, 1, 30.0}).reason;
    worst = std::max(worst, berth::testing::result_difference(*problem, gpu, cpu));
    if (peers.rank() == 0) {
      table.add(words("two ranks, %s, %s", name, std::string(word).substr(0, 8).c_str()),
                worst < 1e-4 && failure.empty(),
                words("worst %.1e ", worst) + failure + "; " + gpu.description());
    }
  }
}

/// Runs both ranks as children. @return whether all was well; 3: there is nothing to run it on.
int run_pair(const char* name, bool on_one_gpu) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
    return 1;
  }
  pid_t children[2];
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    children[rank] = ::fork();
    if (children[rank] != 0) {
      continue;
    }
    ::close(sockets[1 - rank]);
    if (on_one_gpu) {
      ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    }
    int code = 1;
    try {
      SocketPeer peers(rank, sockets[rank]);
      CheckTable table;
      if (!on_one_gpu && executors::count_gpus() < 2) {
        code = 3;
      } else {
        check_as_rank(peers, name, table);
        code = table.failed() == 0 ? 0 : 1;
      }
    } catch (const std::exception& error) {
      std::printf("FAILED two ranks, %s: rank %u: %s\n", name, rank, error.what());
    }
    std::fflush(stdout);
    ::_exit(code);
  }
  ::close(sockets[0]);
  ::close(sockets[1]);
  int worst = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  return worst;
}

}  // namespace

int check_ranks() {
  const int shared = run_pair("on one GPU", /*on_one_gpu=*/true);
  const int apart = run_pair("on two GPUs", /*on_one_gpu=*/false);
  if (apart == 3) {
    std::printf("told   two ranks on two GPUs              not run: there is one GPU\n");
  }
  return shared != 0 || (apart != 0 && apart != 3) ? 1 : 0;
}

}  // namespace berth::device_check
