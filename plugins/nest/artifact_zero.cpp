// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "artifact_search.hpp"

namespace berth::nest {
namespace {

// The artifact's ZeRO collectives return -1 cycle at 1.05 GHz, its network never being initialised.
constexpr double kCollectiveSeconds = -1.0 / 1.05e9;

double sharded_bytes(
    const ArtifactStages& stages, std::size_t i, std::size_t j, int stage, double shards) {
  const double weights = stages.weight_bytes(i, j);
  const double rest = stages.optimizer_bytes(i, j) / shards + stages.activation_bytes(i, j);
  switch (stage) {
    case 1:
      return 2.0 * weights + rest;
    case 2:
      return weights + weights / shards + rest;
    default:
      return 2.0 * weights / shards + rest;
  }
}

}  // namespace

std::vector<StageVariant> stage_variants(const StrategyProblem& problem,
                                         const StrategyConfiguration& configuration,
                                         const ArtifactStages& stages,
                                         std::size_t i,
                                         std::size_t j,
                                         bool zero) {
  const std::size_t devices = problem.network.num_devices();
  const std::size_t most = std::min(devices, stages.num_layers());
  const std::size_t block = configuration.block();
  const double weights = stages.weight_bytes(i, j);
  std::vector<StageVariant> variants = {
      {block,
       stages.deepest_position(i, j, stages.fixed_bytes(i, j), most),
       0.0,
       weights,
       stages.fixed_bytes(i, j)}};
  if (!zero || variants.front().deepest > 0) {
    return variants;
  }
  for (std::size_t shards = 2; block * shards <= devices; shards *= 2) {
    for (int stage = 1; stage <= 3; ++stage) {
      const double fixed = sharded_bytes(stages, i, j, stage, static_cast<double>(shards));
      const std::size_t deepest = stages.deepest_position(i, j, fixed, most);
      if (deepest < most) {
        continue;
      }
      variants.push_back({block * shards,
                          deepest,
                          stage == 1 ? 0.0 : (stage - 1) * kCollectiveSeconds,
                          stage == 3 ? weights / static_cast<double>(shards) : weights,
                          fixed});
      if (stage > 1) {
        return variants;
      }
    }
  }
  return variants;
}

ZeroSwitch zero_switch(const StrategyProblem& problem,
                       const StrategyConfiguration& configuration,
                       const ArtifactStages& stages) {
  const std::size_t n = stages.num_layers();
  const std::size_t most = std::min(problem.network.num_devices(), n);
  const std::vector<StageVariant> variants =
      stage_variants(problem, configuration, stages, n - 1, n, /*zero=*/true);
  if (variants.front().deepest > 0) {
    return ZeroSwitch::kOff;
  }
  const bool helped = std::any_of(variants.begin() + 1, variants.end(), [&](const auto& variant) {
    return variant.deepest >= most;
  });
  return helped ? ZeroSwitch::kOn : ZeroSwitch::kHopeless;
}

}  // namespace berth::nest
