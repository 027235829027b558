// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "berth/strategy_problem.hpp"

#include "artifact_options.hpp"
#include "artifact_stages.hpp"

namespace berth::nest {

/// One stage of a pipeline that the artifact mode found.
struct ChainStage {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t devices = 1;
  double load_seconds = 0.0;
  double fixed_bytes = 0.0;  ///< Weights, gradients, optimizer and one set of activations.
};

/// The best pipeline of one configuration.
struct ChainPlan {
  std::vector<ChainStage> stages;  ///< First to last.
  std::size_t data = 1;
  std::size_t micro_batches = 1;  ///< Of the busiest replica.
  double sync_seconds = 0.0;
  double seconds = 0.0;  ///< Time per batch.
};

/// True minimum over all cuts, stage counts and degrees of data parallelism, every stage on one
/// block of `configuration`: spec 5.1 (kMax) and 5.2 (kSum). Nothing if no pipeline fits.
/// Cost O(layers^2 * stages) states for kMax; labels of kSum are few in practice.
[[nodiscard]] std::optional<ChainPlan> search_exact(const StrategyProblem& problem,
                                                    const StrategyConfiguration& configuration,
                                                    const ArtifactStages& stages,
                                                    const ArtifactOptions& options);

/// The artifact's own recurrence, last round, reconstruction and re-evaluation (spec 3.5 to 3.8),
/// bug for bug. `zero` is the artifact's switch: stages that fit nowhere take more devices.
/// Cost O(layers^2 * stages) without zero, times devices with it.
/// @throws InputError unless the network has three levels, which the artifact takes for granted.
[[nodiscard]] std::optional<ChainPlan> search_artifact_rule(
    const StrategyProblem& problem,
    const StrategyConfiguration& configuration,
    const ArtifactStages& stages,
    bool zero);

/// The artifact's decision on ZeRO: off if the last layer alone fits somewhere, on if only a
/// sharded variant of it does, nothing if none does (spec 3.5).
enum class ZeroSwitch : std::uint8_t { kOff, kOn, kHopeless };
[[nodiscard]] ZeroSwitch zero_switch(const StrategyProblem& problem,
                                     const StrategyConfiguration& configuration,
                                     const ArtifactStages& stages);

/// A way to hold stage [i, j): `devices`, the deepest position it fits at, what ZeRO costs.
struct StageVariant {
  std::size_t devices = 1;
  std::size_t deepest = 0;
  double extra_seconds = 0.0;
  double reduced_bytes = 0.0;  ///< Of the gradient all-reduce.
  double fixed_bytes = 0.0;    ///< Per device, beside the stashes.
};

/// All variants that the artifact tries, in its order.
[[nodiscard]] std::vector<StageVariant> stage_variants(const StrategyProblem& problem,
                                                       const StrategyConfiguration& configuration,
                                                       const ArtifactStages& stages,
                                                       std::size_t i,
                                                       std::size_t j,
                                                       bool zero);

}  // namespace berth::nest
