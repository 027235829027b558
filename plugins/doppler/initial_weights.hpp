// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/rng.hpp"

#include "parameter_layout.hpp"

namespace berth::doppler {

/// [layout.size()] weights at the start of training, drawn from `rng` in the order of the layout.
[[nodiscard]] std::vector<float> initial_weights(const ParameterLayout& layout, Rng& rng);

}  // namespace berth::doppler
