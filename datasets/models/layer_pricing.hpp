// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/collectives.hpp"
#include "berth/roofline.hpp"
#include "berth/strategy_problem.hpp"

#include "model.hpp"

namespace berth::datasets {

/// How the kernels of a training framework are written.
struct KernelChoices {
  bool flash_attention = true;  ///< One kernel, no matrix of sequence^2 scores in memory.
};

/// What one configuration costs in collectives inside a layer.
struct InLayerCollectives {
  CollectiveCost tensor_all_reduce;
  CollectiveCost tensor_all_gather;  ///< And reduce-scatter, with sequence parallelism.
  CollectiveCost expert_all_to_all;
  AffineCost context_step;  ///< One step of the ring of keys and values.
};

/// Degrees of one configuration; see StrategyConfiguration.
struct Degrees {
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  bool sequence_parallel = false;
  std::uint32_t micro_batch = 1;
};

/// One device's share of transformer layer `index` for one micro-batch. Kernels: spec 7.2, gated
/// and latent attention likewise, product by product; backward costs twice the forward kernels.
/// Saved bytes: what backward needs, tensor by tensor; for GPT this is the sum of Korthikanti et
/// al. 2022 (34 + 5as/h bytes per token and hidden unit), without the scores where flash_attention
/// is on.
[[nodiscard]] LayerCost price_layer(const Transformer& model,
                                    std::uint32_t index,
                                    const Degrees& degrees,
                                    const Roofline& roofline,
                                    const InLayerCollectives& collectives,
                                    const KernelChoices& kernels);

[[nodiscard]] LayerCost price_embedding(const Transformer& model,
                                        const Degrees& degrees,
                                        const Roofline& roofline,
                                        const InLayerCollectives& collectives);

/// Final norm, product with the vocabulary (or classifier) and loss.
[[nodiscard]] LayerCost price_head(const Transformer& model,
                                   const Degrees& degrees,
                                   const Roofline& roofline,
                                   const InLayerCollectives& collectives);

/// One block of a convolutional chain; degrees other than the micro-batch must be 1.
[[nodiscard]] LayerCost price_block(const ConvolutionBlock& block,
                                    std::uint32_t micro_batch,
                                    const Roofline& roofline);

}  // namespace berth::datasets
