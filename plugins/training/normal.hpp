// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <numbers>

#include "berth/rng.hpp"

namespace berth::training {

/// A standard normal number (Box and Muller 1958, one of its two).
inline double normal(Rng& rng) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - rng.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * rng.uniform());
}

}  // namespace berth::training
