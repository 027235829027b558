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
};

class CudaFactory final : public ExecutorFactory {
 public:
  explicit CudaFactory(const Config& config) {
    logical_ = static_cast<std::uint32_t>(config.integer("logical"));
    options_.bytes_per_second = 1e9 * config.real("bandwidth");
    options_.latency_seconds = 1e-6 * config.real("latency");
    options_.emulate_links = config.flag("emulate_links");
    options_.copy_streams = static_cast<std::uint32_t>(config.integer("copy_streams"));
    options_.dispatch =
        config.text("dispatch") == "ready" ? DispatchMode::kReady : DispatchMode::kAhead;
    options_.graphs = config.flag("graphs");
    options_.op_times = config.flag("op_times");
  }
  std::unique_ptr<DeviceExecutor> open(const PlacementProblem& problem) override {
    const CudaSettings settings{static_cast<std::uint32_t>(problem.topology.num_devices()),
                                logical_,
                                problem.execution.streams,
                                options_.copy_streams};
    return std::make_unique<StreamExecutor>(problem, options_, cuda_library().open(settings));
  }

 private:
  std::uint32_t logical_ = 0;
  StreamOptions options_;
};

std::unique_ptr<ExecutorFactory> make_cuda(const HostServices& host) {
  return std::make_unique<CudaFactory>(*host.config);
}

}  // namespace
}  // namespace berth::executors

BERTH_PLUGIN("cuda",
             "0.1",
             berth::offer<berth::ExecutorFactory, berth::executors::make_cuda>(
                 "cuda",
                 "Runs placements on NVIDIA GPUs: streams, events, cuBLAS, peer copies.",
                 berth::executors::kCudaOptions))
