// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/strategy_problem.hpp"

#include "datasets/clusters/cluster.hpp"
#include "layer_pricing.hpp"
#include "model.hpp"

namespace berth::datasets {

/// What is trained how, beside model and cluster.
struct TrainingSetup {
  std::uint32_t global_batch = 1024;  ///< Sequences.
  std::uint32_t sequence = 0;         ///< Tokens; 0: the model's own.
  MemoryRules memory;
  KernelChoices kernels;
  std::uint32_t most_tensor = 16;
  std::uint32_t most_context = 8;
  std::uint32_t most_micro_batch = 8;
  const ProfileTable* profile = nullptr;  ///< Measured times that override the roofline.
};

/// A model on a cluster as a planning problem: one configuration per tensor width (divides heads
/// and feed-forward width, at most the devices), sequence parallelism, context width (2c divides
/// the sequence), expert width (divides the experts) and micro-batch (powers of two up to the limit
/// and the batch). Collectives inside a layer are priced for the worst block of the cluster.
///
/// @throws InputError for a setup that no configuration fits (zero batch, sequence too long for the
///         learned positions).
[[nodiscard]] StrategyProblem make_training_problem(const Model& model,
                                                    const Cluster& cluster,
                                                    const TrainingSetup& setup);

}  // namespace berth::datasets
