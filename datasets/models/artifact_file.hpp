// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "berth/strategy_problem.hpp"

namespace berth::datasets {

/// How to read bandwidths of a planner file of the NEST artifact, whose latencies are milliseconds.
enum class ArtifactUnits : std::uint8_t {
  kMixed,       ///< As the artifact does: bytes per second, the quotient taken for milliseconds.
  kConsistent,  ///< Bytes per second, converted.
};

/// A fixed plan that the artifact scores beside its own.
struct ArtifactBaseline {
  std::string name;
  std::uint32_t stages = 1;
  std::uint32_t data = 1;
  std::uint32_t tensor = 1;
  std::uint32_t transformer_layers = 0;
  std::vector<std::uint32_t> layer_partition;  ///< Transformer layers per stage; empty: even.
};

/// A planner file: one configuration per tensor width, ascending; layers in the artifact's order
/// (spec 3.2: a stack of free nodes, sources in file order). Seconds, bytes.
struct ArtifactFile {
  StrategyProblem problem;
  std::vector<ArtifactBaseline> baselines;
};

/// Reads the JSON that the artifact's `device_placement` takes (github.com/scai-tech/Nest, commit
/// 3e163ad), with the checks it makes. Weight and gradient bytes are 2 per parameter, optimizer
/// bytes 12 for Adam and 0 for SGD; LayerCost::saved_bytes[kNone] is the file's activationSize.
/// @throws InputError "file: path: found; expected".
[[nodiscard]] ArtifactFile read_artifact_file(const std::filesystem::path& file,
                                              ArtifactUnits units);

}  // namespace berth::datasets
