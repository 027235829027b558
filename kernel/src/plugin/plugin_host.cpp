// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin_host.hpp"

#include "guarded_executor.hpp"
#include "guarded_operators.hpp"
#include "guarded_partitioner.hpp"
#include "guarded_planner.hpp"
#include "guarded_policy.hpp"
#include "guarded_scheduler.hpp"
#include "guarded_training_job.hpp"
#include "plugin_registry.hpp"

namespace berth {
inline namespace abi_v1 {

struct PluginHost::State {
  internal::PluginRegistry registry;
  Logger* logger;

  std::unique_ptr<internal::PluginObject> create(const internal::FoundOffer& found,
                                                 const Config& config,
                                                 std::uint64_t seed) const {
    return std::make_unique<internal::PluginObject>(
        found.plugin, *found.offer, config, seed, *logger);
  }
  template <class Interface>
  std::unique_ptr<internal::PluginObject> create(std::string_view name,
                                                 const Config& config,
                                                 std::uint64_t seed) {
    return create(registry.find(Interface::kInterface, name), config, seed);
  }
};

PluginHost::PluginHost(SearchPath path, Logger& logger)
    : state_(new State{internal::PluginRegistry(std::move(path), logger), &logger}) {}

PluginHost::~PluginHost() = default;

void PluginHost::load_all() {
  state_->registry.load_all();
}

std::span<const LoadedPlugin> PluginHost::loaded() const noexcept {
  return state_->registry.loaded();
}

std::span<const RefusedPlugin> PluginHost::refused() const noexcept {
  return state_->registry.refused();
}

const LoadedPlugin& PluginHost::load(const std::filesystem::path& file) {
  return state_->registry.load(file);
}

const berth_offer& PluginHost::find(std::string_view interface_id, std::string_view name) {
  return *state_->registry.find(interface_id, name).offer;
}

bool PluginHost::offers(std::string_view interface_id, std::string_view name) {
  return state_->registry.look_up(interface_id, name).has_value();
}

Config PluginHost::options(std::string_view interface_id, std::string_view name) {
  const berth_offer& offer = find(interface_id, name);
  return Config(std::span(offer.options, offer.option_count), offer.name);
}

std::unique_ptr<PlacementPolicy> PluginHost::placement_policy(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(PlacementPolicy::kInterface, name);
  auto object = state_->create(found, config, seed);
  // The object is a pointer to the class it was created under; only that cast is valid.
  if (found.offer->interface_id == TrainablePolicy::kInterface) {
    return internal::guard_trainable(std::move(object));
  }
  return internal::guard_placement(std::move(object));
}

std::unique_ptr<TrainablePolicy> PluginHost::trainable_policy(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed) {
  return internal::guard_trainable(state_->create<TrainablePolicy>(name, config, seed));
}

std::unique_ptr<StrategyPlanner> PluginHost::strategy_planner(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed) {
  return internal::guard_planner(state_->create<StrategyPlanner>(name, config, seed));
}

std::unique_ptr<OperatorScheduler> PluginHost::operator_scheduler(std::string_view name,
                                                                  const Config& config,
                                                                  std::uint64_t seed) {
  return internal::guard_operators(state_->create<OperatorScheduler>(name, config, seed));
}

std::unique_ptr<GraphPartitioner> PluginHost::graph_partitioner(std::string_view name,
                                                                const Config& config,
                                                                std::uint64_t seed) {
  return internal::guard_partitioner(state_->create<GraphPartitioner>(name, config, seed));
}

std::unique_ptr<ClusterScheduler> PluginHost::cluster_scheduler(std::string_view name,
                                                                const Config& config,
                                                                std::uint64_t seed) {
  return internal::guard_scheduler(state_->create<ClusterScheduler>(name, config, seed));
}

std::unique_ptr<TrainingJob> PluginHost::training_job(std::string_view name,
                                                      const Config& config,
                                                      std::uint64_t seed) {
  return internal::guard_training_job(state_->create<TrainingJob>(name, config, seed));
}

std::unique_ptr<DeviceExecutor> PluginHost::device_executor(std::string_view name,
                                                            const Config& config,
                                                            std::uint64_t seed,
                                                            const PlacementProblem& problem) {
  return internal::open_guarded(state_->create<ExecutorFactory>(name, config, seed), problem);
}

std::unique_ptr<DeviceExecutor> PluginHost::rank_executor(std::string_view name,
                                                          const Config& config,
                                                          std::uint64_t seed,
                                                          const PlacementProblem& problem,
                                                          PeerGroup& group) {
  return internal::open_guarded(
      state_->create<RankExecutorFactory>(name, config, seed), problem, group);
}

}  // namespace abi_v1
}  // namespace berth
