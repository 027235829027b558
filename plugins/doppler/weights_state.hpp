// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/state.hpp"

#include "parameter_layout.hpp"

namespace berth::doppler {

/// One tensor for each parameter, by its name.
void save_weights(const ParameterLayout& layout,
                  std::span<const float> weights,
                  StateWriter& writer);

/// @param policy for messages. @return [layout.size()]
/// @throws CheckpointError naming the parameter that is missing or has another shape.
[[nodiscard]] std::vector<float> load_weights(const ParameterLayout& layout,
                                              const StateReader& reader,
                                              const std::string& policy);

}  // namespace berth::doppler
