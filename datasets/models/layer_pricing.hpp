// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/collectives.hpp"
#include "berth/strategy_problem.hpp"

#include "kernel_list.hpp"
#include "model.hpp"

namespace berth::datasets {

/// What one configuration costs in collectives inside a layer.
struct InLayerCollectives {
  CollectiveCost tensor_all_reduce;
  CollectiveCost tensor_all_gather;  ///< And reduce-scatter, with sequence parallelism.
  CollectiveCost expert_all_to_all;
  AffineCost context_step;  ///< One step of the ring of keys and values.
};

/// One device's share of transformer layer `index` for one micro-batch. Kernels: layer_kernels();
/// backward costs twice the forward kernels.
/// Saved bytes: what backward needs, tensor by tensor; for GPT this is the sum of Korthikanti et
/// al. 2022 (34 + 5as/h bytes per token and hidden unit), without the scores where flash_attention
/// is on.
[[nodiscard]] LayerCost price_layer(const Transformer& model,
                                    std::uint32_t index,
                                    const Degrees& degrees,
                                    const KernelTimes& times,
                                    const InLayerCollectives& collectives,
                                    const KernelChoices& kernels);

[[nodiscard]] LayerCost price_embedding(const Transformer& model,
                                        const Degrees& degrees,
                                        const KernelTimes& times,
                                        const InLayerCollectives& collectives);

/// Final norm, product with the vocabulary (or classifier) and loss.
[[nodiscard]] LayerCost price_head(const Transformer& model,
                                   const Degrees& degrees,
                                   const KernelTimes& times,
                                   const InLayerCollectives& collectives);

/// One block of a convolutional chain; degrees other than the micro-batch must be 1.
[[nodiscard]] LayerCost price_block(const ConvolutionBlock& block,
                                    std::uint32_t micro_batch,
                                    const KernelTimes& times);

}  // namespace berth::datasets
