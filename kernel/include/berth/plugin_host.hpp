// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/config.hpp"
#include "berth/device_executor.hpp"
#include "berth/export.hpp"
#include "berth/graph_partitioner.hpp"
#include "berth/logger.hpp"
#include "berth/operator_scheduler.hpp"
#include "berth/placement_policy.hpp"
#include "berth/plugin_abi.h"
#include "berth/rank_executor.hpp"
#include "berth/strategy_planner.hpp"
#include "berth/trainable_policy.hpp"
#include "berth/training_job.hpp"

namespace berth {
inline namespace abi_v1 {

/// A plugin library that passed every check of the handshake. Stays mapped until the process ends.
struct LoadedPlugin {
  std::filesystem::path path;
  const berth_plugin_descriptor* descriptor = nullptr;
};

/// A library that was found and refused, and why.
struct RefusedPlugin {
  std::filesystem::path path;
  std::string reason;
};

/// Finds, checks and loads plugins, and creates their objects behind guards that keep exceptions
/// and illegal answers from reaching the host.
///
/// Search order: explicit files, then `directories` in order. In a directory the files named
/// `berth_*.so` are plugins. A library is loaded when an algorithm asked for may be in it: first
/// `berth_<name>.so` (dashes of the name are underscores), then the others by file name. Where two
/// plugins offer one name, the first on the search path is taken.
class BERTH_API PluginHost {
 public:
  struct SearchPath {
    std::vector<std::filesystem::path> files;        ///< --plugin
    std::vector<std::filesystem::path> directories;  ///< --plugin-dir, $BERTH_PLUGIN_PATH, install
  };

  PluginHost(SearchPath path, Logger& logger);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  /// Loads every plugin on the search path, for listings.
  void load_all();
  [[nodiscard]] std::span<const LoadedPlugin> loaded() const noexcept;
  [[nodiscard]] std::span<const RefusedPlugin> refused() const noexcept;

  /// Loads one file; the reference holds until the next library is loaded.
  /// @throws PluginError with the one reason it is not usable.
  const LoadedPlugin& load(const std::filesystem::path& file);

  /// The offer of `name` under `interface_id`, loading what is needed. A trainable policy also
  /// answers for berth.placement/1, which its interface extends, where its plugin has no offer of
  /// the name under that interface itself. Explicit files must load.
  /// @throws PluginError naming the interfaces or names that exist, and what was refused and why.
  [[nodiscard]] const berth_offer& find(std::string_view interface_id, std::string_view name);

  /// Whether there is such an offer, loading what is needed.
  [[nodiscard]] bool offers(std::string_view interface_id, std::string_view name);

  /// A fresh Config with the options of an offer at their defaults.
  [[nodiscard]] Config options(std::string_view interface_id, std::string_view name);

  /// Creates a policy. Every call into it is guarded: exceptions become PluginError with the
  /// plugin's name (Error categories thrown by the plugin are kept), placements are checked.
  [[nodiscard]] std::unique_ptr<PlacementPolicy> placement_policy(std::string_view name,
                                                                  const Config& config,
                                                                  std::uint64_t seed);
  [[nodiscard]] std::unique_ptr<TrainablePolicy> trainable_policy(std::string_view name,
                                                                  const Config& config,
                                                                  std::uint64_t seed);
  [[nodiscard]] std::unique_ptr<StrategyPlanner> strategy_planner(std::string_view name,
                                                                  const Config& config,
                                                                  std::uint64_t seed);
  [[nodiscard]] std::unique_ptr<OperatorScheduler> operator_scheduler(std::string_view name,
                                                                      const Config& config,
                                                                      std::uint64_t seed);

  /// Creates a partitioner, guarded likewise; its plan is scored anew.
  [[nodiscard]] std::unique_ptr<GraphPartitioner> graph_partitioner(std::string_view name,
                                                                    const Config& config,
                                                                    std::uint64_t seed);

  /// Creates a cluster scheduler, guarded likewise; the simulators check its rounds.
  [[nodiscard]] std::unique_ptr<ClusterScheduler> cluster_scheduler(std::string_view name,
                                                                    const Config& config,
                                                                    std::uint64_t seed);

  /// Creates a job that trains a model, guarded and checked likewise.
  [[nodiscard]] std::unique_ptr<TrainingJob> training_job(std::string_view name,
                                                          const Config& config,
                                                          std::uint64_t seed);
  /// Opens real devices for a problem, guarded likewise. The problem must outlive the executor.
  [[nodiscard]] std::unique_ptr<DeviceExecutor> device_executor(std::string_view name,
                                                                const Config& config,
                                                                std::uint64_t seed,
                                                                const PlacementProblem& problem);
  /// Opens this rank's part of the devices of a group, guarded likewise. Problem and group must
  /// outlive the executor.
  [[nodiscard]] std::unique_ptr<DeviceExecutor> rank_executor(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed,
                                                              const PlacementProblem& problem,
                                                              PeerGroup& group);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace abi_v1
}  // namespace berth
