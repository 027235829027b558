// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "noise.hpp"

#include <cmath>
#include <numbers>

#include "berth/rng.hpp"

namespace berth::internal {

float noise_factor(double sigma, std::uint64_t seed, NoiseOn on, std::uint64_t id) noexcept {
  if (sigma == 0.0) {
    return 1.0F;
  }
  Rng rng(seed, {static_cast<std::uint64_t>(on), id});
  // Box and Muller; 1 - u lies in (0, 1].
  const double radius = std::sqrt(-2.0 * std::log(1.0 - rng.uniform()));
  const double normal = radius * std::cos(2.0 * std::numbers::pi * rng.uniform());
  return static_cast<float>(std::exp(sigma * normal - 0.5 * sigma * sigma));
}

}  // namespace berth::internal
