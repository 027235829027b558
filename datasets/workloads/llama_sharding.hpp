// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "workload.hpp"

namespace berth::datasets {

/// Axes of the Llama workloads. s: queries (positions); t: keys (positions); h: hidden features;
/// n: heads; d: features of a head; c: complex pairs of d; f: features of the feed-forward net;
/// v: vocabulary.
inline constexpr double kLlamaPositions = 4096.0;
inline constexpr double kLlamaHidden = 4096.0;
inline constexpr double kLlamaHeads = 32.0;
inline constexpr double kLlamaHeadFeatures = 128.0;
inline constexpr double kLlamaForward = 11008.0;
inline constexpr double kLlamaVocabulary = 32000.0;
inline constexpr std::size_t kLlamaLayers = 32;

/// Parts of each operation of the block (without mask, final norm and logits).
[[nodiscard]] Sharding::Table llama_block_sharding(const WorkloadSpec& spec);
/// Parts of each operation of the layer.
[[nodiscard]] Sharding::Table llama_layer_sharding(const WorkloadSpec& spec);

}  // namespace berth::datasets
