// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "cpu_executor.hpp"

namespace berth::executors {
namespace {

constexpr berth_option_spec kOptions[] = {
    {"emulate_links",
     BERTH_OPTION_FLAG,
     "false",
     0,
     0,
     "",
     "",
     "Transfers take as long as the topology's links say (copies are still made); always so for "
     "graphs whose costs are times."},
    {"cores_per_device",
     BERTH_OPTION_INTEGER,
     "1",
     1,
     1024,
     "cores",
     "",
     "Cores of the host that make up a device."},
    {"spin",
     BERTH_OPTION_INTEGER,
     "20000",
     0,
     1e6,
     "us",
     "",
     "Time that an idle thread waits awake before it sleeps; 0 where devices outnumber cores."},
};

class Factory final : public ExecutorFactory {
 public:
  explicit Factory(const Config& config) {
    options_.emulate_links = config.flag("emulate_links");
    options_.cores_per_device = static_cast<std::uint32_t>(config.integer("cores_per_device"));
    options_.spin_microseconds = static_cast<std::uint32_t>(config.integer("spin"));
  }
  std::unique_ptr<DeviceExecutor> open(const PlacementProblem& problem) override {
    return std::make_unique<CpuExecutor>(problem, options_);
  }

 private:
  CpuOptions options_;
};

std::unique_ptr<ExecutorFactory> make_cpu(const HostServices& host) {
  return std::make_unique<Factory>(*host.config);
}

}  // namespace
}  // namespace berth::executors

BERTH_PLUGIN("executors",
             "0.1",
             berth::offer<berth::ExecutorFactory, berth::executors::make_cpu>(
                 "cpu",
                 "Runs placements on the host's cores: real kernels, copies between arenas.",
                 berth::executors::kOptions))
