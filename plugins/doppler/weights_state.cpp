// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "weights_state.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

namespace berth::doppler {
namespace {

std::string text(const std::vector<std::int64_t>& shape) {
  std::string joined;
  for (const std::int64_t extent : shape) {
    joined += (joined.empty() ? "" : " x ") + std::to_string(extent);
  }
  return joined;
}

}  // namespace

void save_weights(const ParameterLayout& layout,
                  std::span<const float> weights,
                  StateWriter& writer) {
  for (const Parameter& parameter : layout.parameters()) {
    writer.tensor(
        parameter.name, parameter.shape, weights.subspan(parameter.offset, parameter.size));
  }
}

std::vector<float> load_weights(const ParameterLayout& layout,
                                const StateReader& reader,
                                const std::string& policy) {
  std::vector<float> weights(layout.size());
  for (const Parameter& parameter : layout.parameters()) {
    if (!reader.has(parameter.name)) {
      throw CheckpointError(policy + ": the checkpoint has no '" + parameter.name +
                            "'; it was made by another policy or with other options");
    }
    if (reader.shape(parameter.name) != parameter.shape) {
      throw CheckpointError(policy + ": '" + parameter.name + "' of the checkpoint is " +
                            text(reader.shape(parameter.name)) + "; these options make it " +
                            text(parameter.shape) +
                            "; it was trained with other options or by an earlier version of the "
                            "policy: use those options, or train anew");
    }
    const auto read = std::span(weights).subspan(parameter.offset, parameter.size);
    reader.tensor(parameter.name, parameter.shape, read);
    if (!std::ranges::all_of(read, [](float value) { return std::isfinite(value); })) {
      throw CheckpointError(policy + ": '" + parameter.name +
                            "' of the checkpoint holds values that are not finite; expected "
                            "weights of a training that went well");
    }
  }
  return weights;
}

}  // namespace berth::doppler
