// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>

#include <torch/types.h>

#include "parameter_layout.hpp"

namespace berth::doppler {

using NamedWeights = std::map<std::string, torch::Tensor>;

/// Views of the flat weights by name; `flat` must outlive them.
inline NamedWeights named_weights(const ParameterLayout& layout,
                                  const float* flat,
                                  bool with_gradient) {
  NamedWeights weights;
  for (const Parameter& parameter : layout.parameters()) {
    auto* data = const_cast<float*>(flat + parameter.offset);  // from_blob() has no const form
    const torch::Tensor tensor = torch::from_blob(data, parameter.shape, torch::kFloat32);
    weights[parameter.name] = with_gradient ? tensor.requires_grad_(true) : tensor;
  }
  return weights;
}

/// Adds the gradients of the weights, where they have any, to `out` [layout.size()].
inline void add_gradients(const ParameterLayout& layout, const NamedWeights& weights, float* out) {
  for (const Parameter& parameter : layout.parameters()) {
    const torch::Tensor& grad = weights.at(parameter.name).grad();
    if (!grad.defined()) {
      continue;
    }
    const torch::Tensor flat = grad.contiguous();
    const auto* data = flat.data_ptr<float>();
    for (std::size_t k = 0; k < parameter.size; ++k) {
      out[parameter.offset + k] += data[k];
    }
  }
}

inline torch::Tensor linear(const torch::Tensor& x,
                            const NamedWeights& weights,
                            const std::string& name) {
  return torch::linear(x, weights.at(name + "/weight"), weights.at(name + "/bias"));
}

}  // namespace berth::doppler
