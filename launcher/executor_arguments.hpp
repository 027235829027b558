// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>

#include "berth/device_executor.hpp"
#include "berth/plugin_host.hpp"
#include "berth/topology.hpp"

#include "command_line.hpp"

namespace berth::launcher {

/// How a command runs placements on real devices.
struct ExecutorArguments {
  std::string executor;  ///< "cpu" or "cpu(cores_per_device=2)".
  MeasureSpec measure;
  bool emulate_links = false;
};

/// What help shows as the default of --model, for executed_problem().
inline constexpr const char* kExecutedModelShown = "links or pull";

/// Declares --executor, --repeats, --warm-up, --timeout, --emulate-links, --bandwidth, --latency.
void add_executor_options(CommandLine& line);
/// @throws InputError naming the option.
[[nodiscard]] ExecutorArguments executor_of(const CommandLine& line);

/// The one problem of the command line. --bandwidth and --latency give every pair of devices a link
/// of its own. The model, unless given, is the one that the executor comes nearest to: `pull` for
/// cores without emulated links, else `links`.
[[nodiscard]] std::shared_ptr<const PlacementProblem> executed_problem(const CommandLine& line,
                                                                       Logger& logger);

/// @param group the ranks that share the devices; none: this process alone.
/// @throws as PluginHost::device_executor(); InputError if the executor cannot span ranks.
[[nodiscard]] std::unique_ptr<DeviceExecutor> open_executor(PluginHost& host,
                                                            const std::string& executor,
                                                            bool emulate_links,
                                                            const PlacementProblem& problem,
                                                            PeerGroup* group = nullptr);

/// The devices of `topology`, every ordered pair with a link of its own.
[[nodiscard]] Topology with_links(const Topology& topology,
                                  BytesPerSecond bandwidth,
                                  Seconds latency);

}  // namespace berth::launcher
