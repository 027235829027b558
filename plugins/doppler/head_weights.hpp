// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "architecture.hpp"
#include "linear_block.hpp"
#include "parameter_layout.hpp"

namespace berth::doppler {

/// The weights that act at every step of a rollout. The rest acts once per update, in EncoderNet.
struct HeadWeights {
  HeadWeights(const Architecture& architecture, const ParameterLayout& layout, const float* flat);

  // PLC: logit = output . leaky(static + device_block * leaky(device * features) + row part)
  LinearBlock device;        ///< features -> hidden
  LinearBlock device_block;  ///< hidden -> head
  LinearBlock row_block;     ///< hidden -> head; normalised sums only
  std::vector<float> device_bias, plc_output;
  float plc_output_bias = 0.0F;

  // SEL, normalised heads only; else its logits are a table.
  LinearBlock own;                          ///< node features -> hidden
  LinearBlock own_block, b_block, t_block;  ///< hidden -> head
  std::vector<float> own_bias, sel_output;
  float sel_output_bias = 0.0F;
};

}  // namespace berth::doppler
