// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "llama_sharding.hpp"

#include <string>

namespace berth::datasets {
namespace {

/// Positions p-way, heads and features q-way; nothing that is summed over is cut but by its maker.
Sharding::Table grid_table(std::size_t devices) {
  const DeviceGrid grid = device_grid(devices, static_cast<std::size_t>(kLlamaHeads));
  const std::string s = "s" + std::to_string(grid.rows);
  const std::string q = std::to_string(grid.columns);
  return {{"norm1", s + "h" + q},
          {"norm1 scale", s + "h" + q},
          {"q", s + "n" + q},
          {"k", "t" + std::to_string(grid.rows) + "n" + q},
          {"v", "t" + std::to_string(grid.rows) + "n" + q},
          {"scores", "n" + q + s},
          {"attention", "n" + q + s},
          {"o", s + "h" + q},
          {"norm2 scale", s + "h" + q},
          {"up", s + "f" + q},
          {"down", s + "h" + q},
          {"residual2", s + "h" + q}};
}

}  // namespace

// The published blocks were read off the predecessors of each op in the public graph files.
Sharding::Table llama_block_sharding(const WorkloadSpec& spec) {
  if (spec.sharding == ShardingRule::kPublished && spec.devices == 4) {
    return {{"norm1", "s2h2"},
            {"norm1 scale", "s2h2"},
            {"q", "n2h2"},
            {"k", "t2n2"},
            {"v", "t2n2"},
            {"scores", "n2t2"},
            {"attention", "n2t2"},
            {"o", "h2n2"},
            {"norm2 scale", ""},
            {"up", "f4"},
            {"down", "f4"},
            {"residual2", ""}};
  }
  if (spec.sharding == ShardingRule::kPublished && spec.devices == 8) {
    return {{"norm1", "s2h4"},
            {"norm1 scale", "s2h2"},
            {"q", "s2n2h2"},
            {"k", "t2n2h2"},
            {"v", "t2n2h2"},
            {"scores", "n2s2t2"},
            {"attention", "n2s2t2"},
            {"o", "s2h2n2"},
            {"norm2 scale", "h2"},
            {"up", "f4h2"},
            {"down", "h2f4"},
            {"residual2", "h2"}};
  }
  return grid_table(spec.devices);
}

Sharding::Table llama_layer_sharding(const WorkloadSpec& spec) {
  if (spec.sharding == ShardingRule::kPublished && spec.devices == 4) {
    return {{"mask", "s2"},
            {"norm1", "s2h2"},
            {"norm1 scale", "s2h2"},
            {"q", "s2n2"},
            {"k", "n2h2"},
            {"v", "n2h2"},
            {"scores", "n2s2"},
            {"attention", "n2s2"},
            {"o", "s2n2"},
            {"norm2 scale", "s2"},
            {"up", "s2f2"},
            {"down", "s2f2"},
            {"residual2", "s2"},
            {"logits", "v4"}};
  }
  if (spec.sharding == ShardingRule::kPublished && spec.devices == 8) {
    return {{"mask", "s2t2"},
            {"norm1", "s2h4"},
            {"norm1 scale", "s2h2"},
            {"q", "s2n2h2"},
            {"k", "t2n2h2"},
            {"v", "t2n2h2"},
            {"scores", "n2s2t2"},
            {"attention", "n2s2t2"},
            {"o", "s2h2n2"},
            {"norm2 scale", "s2"},
            {"up", "s2f4"},
            {"down", "s2f4"},
            {"residual2", "s2"},
            {"logits", "v8"}};
  }
  Sharding::Table table = grid_table(spec.devices);
  const DeviceGrid grid = device_grid(spec.devices, static_cast<std::size_t>(kLlamaHeads));
  table.emplace("mask", "s" + std::to_string(grid.rows));
  table.emplace("logits", "v" + std::to_string(spec.devices));
  return table;
}

}  // namespace berth::datasets
