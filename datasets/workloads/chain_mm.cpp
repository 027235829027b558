// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "workload.hpp"

namespace berth::datasets {
namespace {

constexpr double kSide = 1e4;  ///< All matrices are square.

Sharding::Table chain_table(const WorkloadSpec& spec) {
  if (spec.sharding == ShardingRule::kPublished && spec.devices == 4) {
    return {{"de", "k2j2l4"}, {"cde", "i4j2k2"}, {"ab", "i4j2m2"}, {"sum", "i4j2"}};
  }
  const DeviceGrid grid = device_grid(spec.devices, 100);
  const std::string p = std::to_string(grid.rows);
  const std::string q = std::to_string(grid.columns);
  return {{"de", "k" + p + "j" + q + "l4"},
          {"cde", "i" + p + "j" + q + "k4"},
          {"ab", "i" + p + "j" + q + "m4"},
          {"sum", "i" + p + "j" + q}};
}

}  // namespace

/// Y = A B + C (D E), the CHAINMM workload.
Graph make_chain_mm(const WorkloadSpec& spec) {
  const Sharding shards(spec, chain_table(spec));
  BlockedProgram program(
      "chain-mm",
      extents_of(spec, {{'i', kSide}, {'j', kSide}, {'k', kSide}, {'l', kSide}, {'m', kSide}}),
      spec.costs);
  const BlockedTensor de = program.reduce("de",
                                          "kj",
                                          "l",
                                          shards.of("de"),
                                          {program.input("kl"), program.weight("lj", "l")},
                                          Reduction::kContract);
  const BlockedTensor cde = program.reduce(
      "cde", "ij", "k", shards.of("cde"), {program.weight("ik", "k"), de}, Reduction::kContract);
  const BlockedTensor ab = program.reduce("ab",
                                          "ij",
                                          "m",
                                          shards.of("ab"),
                                          {program.input("im"), program.weight("mj", "m")},
                                          Reduction::kContract);
  program.map("sum", {"add"}, "ij", shards.of("sum"), {cde, ab});
  return program.finish();
}

}  // namespace berth::datasets
