// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "core/stream_executor.hpp"
#include "cuda_library.hpp"

namespace berth::executors {
namespace {

constexpr berth_option_spec kCudaOptions[] = {
    {"logical",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     1024,
     "devices",
     "",
     "Emulates so many devices on the GPUs that are there, each with streams and arenas of its "
     "own; "
     "0: a GPU is a device."},
    {"bandwidth",
     BERTH_OPTION_REAL,
     "0",
     0,
     1e6,
     "GB/s",
     "",
     "A transfer takes at least as long as a link of this bandwidth would; 0: no limit."},
    {"latency", BERTH_OPTION_REAL, "0", 0, 1e9, "us", "", "Latency of such a link."},
    {"emulate_links",
     BERTH_OPTION_FLAG,
     "false",
     0,
     0,
     "",
     "",
     "Transfers take at least as long as the topology's links say, unless bandwidth or latency is "
     "given; always so for graphs whose costs are times."},
    {"copy_streams",
     BERTH_OPTION_INTEGER,
     "2",
     1,
     64,
     "streams",
     "",
     "Streams of a device for transfers that it receives; ops have as many as --streams says."},
    {"dispatch",
     BERTH_OPTION_CHOICE,
     "ahead",
     0,
     0,
     "",
     "ahead,ready",
     "Put the whole run on streams at once, ordered by events, or each op by the host when its "
     "inputs are there and a stream is free."},
    {"graphs",
     BERTH_OPTION_FLAG,
     "false",
     0,
     0,
     "",
     "",
     "Repeats replay the run as a CUDA graph; op times are then those of the first run."},
    {"op_times",
     BERTH_OPTION_FLAG,
     "true",
     0,
     0,
     "",
     "",
     "Time every op by events; needed for traces and calibration."},
    {"matmul",
     BERTH_OPTION_CHOICE,
     "float32",
     0,
     0,
     "",
     "float32,tf32,bfloat16",
     "What matrix products round their operands to, on tensor cores where the GPU has them for it; "
     "operands and results are float32 in memory, and sums are in float32, with each."},
    {"rank_gpus",
     BERTH_OPTION_CHOICE,
     "share",
     0,
     0,
     "",
     "share,own",
     "Under mpirun: ranks that run a placement together divide the GPUs that they see on a node "
     "(one rank a node has them all, one a GPU has one), or every rank of the job takes the GPU of "
     "its number on the node."},
};

ProductPrecision precision_of(const std::string& matmul) {
  return matmul == "tf32"       ? ProductPrecision::kTf32
         : matmul == "bfloat16" ? ProductPrecision::kBfloat16
                                : ProductPrecision::kFloat32;
}

/// What both factories make of the options.
struct CudaConfig {
  explicit CudaConfig(const Config& config)
      : logical(static_cast<std::uint32_t>(config.integer("logical"))),
        products(precision_of(config.text("matmul"))),
        gpus(config.text("rank_gpus") == "own" ? RankGpus::kOwn : RankGpus::kShare) {
    options.bytes_per_second = 1e9 * config.real("bandwidth");
    options.latency_seconds = 1e-6 * config.real("latency");
    options.emulate_links = config.flag("emulate_links");
    options.copy_streams = static_cast<std::uint32_t>(config.integer("copy_streams"));
    options.dispatch =
        config.text("dispatch") == "ready" ? DispatchMode::kReady : DispatchMode::kAhead;
    options.graphs = config.flag("graphs");
    options.op_times = config.flag("op_times");
  }

  /// For a rank that has `share` of the problem's devices.
  [[nodiscard]] CudaSettings settings(const PlacementProblem& problem,
                                      const DeviceShare& share) const {
    CudaSettings settings;
    settings.all_devices = static_cast<std::uint32_t>(problem.topology.num_devices());
    settings.devices = share.count();
    // Logical devices beyond the problem's are divided over the ranks as these are.
    settings.logical = logical * share.count() / settings.all_devices;
    settings.compute_streams = problem.execution.streams;
    settings.copy_streams = options.copy_streams * (share.ranks() > 1 ? 2 : 1);
    settings.products = products;
    return settings;
  }

  std::uint32_t logical;
  ProductPrecision products;
  RankGpus gpus;
  StreamOptions options;
};

class CudaFactory final : public ExecutorFactory {
 public:
  explicit CudaFactory(const Config& config) : config_(config) {}
  std::unique_ptr<DeviceExecutor> open(const PlacementProblem& problem) override {
    const DeviceShare all(problem.topology.num_devices());
    return std::make_unique<StreamExecutor>(
        problem, config_.options, cuda_library().open(config_.settings(problem, all)));
  }

 private:
  CudaConfig config_;
};

class CudaRankFactory final : public RankExecutorFactory {
 public:
  explicit CudaRankFactory(const Config& config) : config_(config) {}
  std::unique_ptr<DeviceExecutor> open(const PlacementProblem& problem, PeerGroup& peers) override {
    const DeviceShare share = share_devices(problem.topology.num_devices(), peers);
    RankDevices devices =
        cuda_library().open_rank(config_.settings(problem, share), config_.gpus, share, peers);
    return std::make_unique<StreamExecutor>(problem, config_.options, std::move(devices), peers);
  }

 private:
  CudaConfig config_;
};

std::unique_ptr<ExecutorFactory> make_cuda(const HostServices& host) {
  return std::make_unique<CudaFactory>(*host.config);
}
std::unique_ptr<RankExecutorFactory> make_cuda_ranks(const HostServices& host) {
  return std::make_unique<CudaRankFactory>(*host.config);
}

}  // namespace
}  // namespace berth::executors

BERTH_PLUGIN("cuda",
             "0.1",
             berth::offer<berth::ExecutorFactory, berth::executors::make_cuda>(
                 "cuda",
                 "Runs placements on NVIDIA GPUs: streams, events, cuBLAS, peer copies.",
                 berth::executors::kCudaOptions),
             berth::offer<berth::RankExecutorFactory, berth::executors::make_cuda_ranks>(
                 "cuda",
                 "Runs placements on the NVIDIA GPUs of several ranks, with NCCL between them.",
                 berth::executors::kCudaOptions))
