// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "berth/graph.hpp"

#include "blocked_program.hpp"

namespace berth::datasets {

/// How operations are cut into blocks.
enum class ShardingRule : std::uint8_t {
  /// The blocks of the published 4- and 8-device graphs; the grid rule for other counts, and for
  /// 8 devices where no graph was published.
  kPublished,
  /// p by q = devices, p >= q nearly square: rows p-way, columns, heads and features q-way.
  kGrid,
};

/// What to generate.
struct WorkloadSpec {
  std::string name;  ///< One of workload_names().
  std::size_t devices = 4;
  CostMode costs = CostMode::kReference;
  ShardingRule sharding = ShardingRule::kPublished;
  /// Elements along axes, over the published ones, for example {'s', 256}.
  std::map<char, std::size_t> extents;
  /// Parts by operation, for example {"scores", "n2s2"}, over what the rule says.
  std::map<std::string, std::string> shards;
};

/// "chain-mm", "ffnn", "llama-block", "llama-layer", "llama-model".
[[nodiscard]] std::span<const std::string_view> workload_names();

/// The workloads of the DOPPLER paper and the whole model that its layers come from, built from
/// their algebra. With reference costs, published
/// sharding and 4 devices the graph equals the typed public file op by op.
/// @throws InputError on an unknown name or operation, 0 devices or more than 1024, or a sharding
///         finer than an axis.
/// With physical costs every op carries its kernel, so that real executors can run it.
[[nodiscard]] Graph make_workload(const WorkloadSpec& spec);

/// The parts of each operation: published ones, or by rule, with the user's on top.
class Sharding {
 public:
  using Table = std::map<std::string, std::string>;

  /// @throws InputError if `shards` names an operation that `table` lacks.
  Sharding(const WorkloadSpec& spec, const Table& table);

  [[nodiscard]] const Parts& of(const std::string& operation) const;

 private:
  std::map<std::string, Parts> parts_;
};

/// The extents of a workload with those of `spec` over them.
/// @throws InputError if `spec` names an axis that `published` lacks.
[[nodiscard]] std::map<char, double> extents_of(const WorkloadSpec& spec,
                                                std::map<char, double> published);

/// The p by q grid of the grid rule: q is the greatest divisor of `devices` that is at most its
/// square root and at most `most_columns`.
struct DeviceGrid {
  std::size_t rows = 1;
  std::size_t columns = 1;
};
[[nodiscard]] DeviceGrid device_grid(std::size_t devices, std::size_t most_columns);

[[nodiscard]] Graph make_chain_mm(const WorkloadSpec& spec);
[[nodiscard]] Graph make_ffnn(const WorkloadSpec& spec);
[[nodiscard]] Graph make_llama_block(const WorkloadSpec& spec);
[[nodiscard]] Graph make_llama_layer(const WorkloadSpec& spec);
/// Layers in a row, as many as the extent 'l' says, 32 by default: 229 ops for one on 4 devices and
/// 198 for each further one. One layer is llama-layer.
[[nodiscard]] Graph make_llama_model(const WorkloadSpec& spec);

}  // namespace berth::datasets
