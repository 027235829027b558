// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/export.hpp"
#include "berth/network_levels.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a stage forgets after its forward pass and computes again before its backward pass.
enum class Recompute : std::uint8_t { kNone = 0, kSelective = 1, kFull = 2 };
inline constexpr std::size_t kRecomputeChoices = 3;

/// One layer on one device of its block, for one micro-batch, under one configuration.
struct LayerCost {
  double forward_seconds = 0.0;    ///< In-layer collectives included.
  double backward_seconds = 0.0;   ///< The same.
  double dense_parameters = 0.0;   ///< Per device; replicated over data, context and expert ranks.
  double expert_parameters = 0.0;  ///< Per device; replicated over data and context ranks.
  /// By Recompute: time to compute again, bytes kept from forward to backward pass, and bytes that
  /// live only while the layer itself runs.
  std::array<double, kRecomputeChoices> recompute_seconds{};
  std::array<double, kRecomputeChoices> saved_bytes{};
  std::array<double, kRecomputeChoices> work_bytes{};

  bool operator==(const LayerCost&) const = default;
};

/// What a device of layer `to` receives from layer `from` if they are on different stages, per
/// micro-batch; the gradient takes the same way back.
struct LayerEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double size_bytes = 0.0;

  bool operator==(const LayerEdge&) const = default;
};

/// One way to cut every layer: fixes the graph inside a layer, hence its costs.
struct StrategyConfiguration {
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  bool sequence_parallel = false;
  std::uint32_t micro_batch = 1;     ///< Sequences.
  std::uint32_t micro_batches = 1;   ///< Per global batch, over all replicas.
  std::vector<std::uint32_t> kinds;  ///< [layers]: which cost each layer has.
  std::vector<LayerCost> costs;      ///< [device classes x kinds], class-major.
  std::vector<LayerEdge> edges;      ///< The chain's, and edges that skip layers.
  double tied_parameters = 0.0;      ///< Of the last layer, shared with the first (per device).

  /// Devices of one stage of one replica.
  [[nodiscard]] std::size_t block() const noexcept {
    return std::size_t{tensor} * context * expert;
  }
  [[nodiscard]] std::size_t num_kinds(std::size_t num_classes) const noexcept {
    return num_classes == 0 ? 0 : costs.size() / num_classes;
  }
};

/// A kind of device in the cluster.
struct DeviceClass {
  std::string name;
  double memory_bytes = 0.0;
  double memory_bytes_per_second = 0.0;  ///< For the optimizer step; 0: the step costs nothing.
  double price_per_hour = 0.0;           ///< Any currency; for --objective cost.
};

/// What one parameter costs in bytes, and what a device keeps free.
struct MemoryRules {
  double weight_bytes = 2.0;
  double gradient_bytes = 2.0;
  double optimizer_bytes = 12.0;  ///< Adam: fp32 master copy and two moments.
  double reserve_bytes = 0.0;     ///< Per device, never used.
};

/// A chain of layers, a cluster and a batch: what a StrategyPlanner plans. Immutable once checked.
struct StrategyProblem {
  std::string model;
  std::string cluster;
  std::vector<std::string> layers;  ///< Labels, first to last; embedding first.
  std::vector<StrategyConfiguration> configurations;
  NetworkLevels network;
  std::vector<DeviceClass> classes;
  std::vector<std::uint32_t> class_of_device;  ///< [devices]; empty: all of class 0.
  MemoryRules memory;
  bool recompute_allowed = true;
  std::uint32_t global_batch = 1;  ///< Sequences.

  [[nodiscard]] std::size_t class_of(std::size_t device) const {
    return class_of_device.empty() ? 0 : class_of_device[device];
  }
  [[nodiscard]] const LayerCost& cost(const StrategyConfiguration& configuration,
                                      std::size_t device_class,
                                      std::size_t layer) const {
    return configuration
        .costs[device_class * configuration.num_kinds(classes.size()) + configuration.kinds[layer]];
  }
};

/// @throws InputError naming the configuration and layer: sizes that do not agree, negative or
///         non-finite costs, edges that do not go forward, consecutive layers without an edge.
BERTH_API void check_problem(const StrategyProblem& problem);

/// 64-bit hash of layers, configurations, batch and memory rules; the cluster does not count.
[[nodiscard]] BERTH_API std::uint64_t model_hash(const StrategyProblem& problem);

/// 64-bit hash of network and device classes.
[[nodiscard]] BERTH_API std::uint64_t cluster_hash(const StrategyProblem& problem);

}  // namespace abi_v1
}  // namespace berth
