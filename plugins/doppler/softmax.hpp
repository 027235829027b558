// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

namespace berth::doppler {

/// Probabilities of `logits / temperature` over the entries with legal != 0 (all if `legal` is
/// empty); the others get 0. @return log of the sum of exponentials, so that
/// log p[i] = logits[i] / temperature - result.
double softmax(std::span<const float> logits,
               std::span<const std::uint8_t> legal,
               double temperature,
               std::span<float> probability);

/// The first legal index with the greatest logit.
[[nodiscard]] std::size_t arg_max(std::span<const float> logits,
                                  std::span<const std::uint8_t> legal);

/// The index at which the running sum of `probability` exceeds `uniform` in [0, 1); the last one
/// with a positive probability if rounding leaves none.
[[nodiscard]] std::size_t sample(std::span<const float> probability, double uniform);

/// Derivative of  -sum_a target[a] log p[a] + entropy_weight * sum_a p[a] log p[a]  by the logits,
/// added to `out`. `target` may be any weights; illegal entries have p = 0 and get nothing.
void add_loss_gradient(std::span<const float> probability,
                       std::span<const float> target,
                       float entropy_weight,
                       std::span<float> out);

}  // namespace berth::doppler
