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

Config PluginHost::options(std::string_view interface_id, std::string_view name) {
  const berth_offer& offer = find(interface_id, name);
  return Config(std::span(offer.options, offer.option_count), offer.name);
}

std::unique_ptr<PlacementPolicy> PluginHost::placement_policy(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(PlacementPolicy::kInterface, name);
  auto object = std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger);
  // The object is a pointer to the class it was created under; only that cast is valid.
  if (found.offer->interface_id == TrainablePolicy::kInterface) {
    return internal::guard_trainable(std::move(object));
  }
  return internal::guard_placement(std::move(object));
}

std::unique_ptr<TrainablePolicy> PluginHost::trainable_policy(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(TrainablePolicy::kInterface, name);
  return internal::guard_trainable(std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger));
}

std::unique_ptr<StrategyPlanner> PluginHost::strategy_planner(std::string_view name,
                                                              const Config& config,
                                                              std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(StrategyPlanner::kInterface, name);
  return internal::guard_planner(std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger));
}

std::unique_ptr<OperatorScheduler> PluginHost::operator_scheduler(std::string_view name,
                                                                  const Config& config,
                                                                  std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(OperatorScheduler::kInterface, name);
  return internal::guard_operators(std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger));
}

std::unique_ptr<GraphPartitioner> PluginHost::graph_partitioner(std::string_view name,
                                                                const Config& config,
                                                                std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(GraphPartitioner::kInterface, name);
  return internal::guard_partitioner(std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger));
}

std::unique_ptr<ClusterScheduler> PluginHost::cluster_scheduler(std::string_view name,
                                                                const Config& config,
                                                                std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(ClusterScheduler::kInterface, name);
  return internal::guard_scheduler(std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger));
}

std::unique_ptr<TrainingJob> PluginHost::training_job(std::string_view name,
                                                      const Config& config,
                                                      std::uint64_t seed) {
  const internal::FoundOffer found = state_->registry.find(TrainingJob::kInterface, name);
  return internal::guard_training_job(std::make_unique<internal::PluginObject>(
      found.plugin, *found.offer, config, seed, *state_->logger));
}

std::unique_ptr<DeviceExecutor> PluginHost::device_executor(std::string_view name,
                                                            const Config& config,
                                                            std::uint64_t seed,
                                                            const PlacementProblem& problem) {
  const internal::FoundOffer found = state_->registry.find(ExecutorFactory::kInterface, name);
  return internal::open_guarded(std::make_unique<internal::PluginObject>(
                                    found.plugin, *found.offer, config, seed, *state_->logger),
                                problem);
}

}  // namespace abi_v1
}  // namespace berth
