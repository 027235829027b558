// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "head_weights.hpp"

#include <string>

namespace berth::doppler {
namespace {

std::vector<float> copy_of(const ParameterLayout& layout, const float* flat, const char* name) {
  const Parameter& parameter = layout.find(name);
  return {flat + parameter.offset, flat + parameter.offset + parameter.size};
}

LinearBlock block_of(const ParameterLayout& layout,
                     const float* flat,
                     const char* name,
                     std::size_t first,
                     std::size_t inputs) {
  const Parameter& parameter = layout.find(name);
  return {flat + parameter.offset,
          static_cast<std::size_t>(parameter.shape[0]),
          static_cast<std::size_t>(parameter.shape[1]),
          first,
          inputs};
}

}  // namespace

HeadWeights::HeadWeights(const Architecture& architecture,
                         const ParameterLayout& layout,
                         const float* flat) {
  const std::size_t hidden = architecture.hidden;
  device = block_of(layout, flat, "plc/device/weight", 0, architecture.device_columns);
  device_bias = copy_of(layout, flat, "plc/device/bias");
  device_block = block_of(layout, flat, "plc/hidden/weight", 0, hidden);
  plc_output = copy_of(layout, flat, "plc/output/weight");
  plc_output_bias = copy_of(layout, flat, "plc/output/bias")[0];
  if (!architecture.normalise) {
    return;
  }
  row_block = block_of(layout, flat, "plc/hidden/weight", 3 * hidden, hidden);
  own = block_of(layout, flat, "sel/own/weight", 0, architecture.node_columns);
  own_bias = copy_of(layout, flat, "sel/own/bias");
  own_block = block_of(layout, flat, "sel/hidden/weight", 0, hidden);
  b_block = block_of(layout, flat, "sel/hidden/weight", 2 * hidden, hidden);
  t_block = block_of(layout, flat, "sel/hidden/weight", 3 * hidden, hidden);
  sel_output = copy_of(layout, flat, "sel/output/weight");
  sel_output_bias = copy_of(layout, flat, "sel/output/bias")[0];
}

}  // namespace berth::doppler
