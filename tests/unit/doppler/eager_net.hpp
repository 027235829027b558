// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "architecture.hpp"
#include "encoder_input.hpp"
#include "parameter_layout.hpp"

namespace berth::doppler {

/// One step of an episode as the eager implementation needs it.
struct EagerStep {
  std::vector<std::int64_t> candidates;
  std::vector<float> candidate_features;  ///< [candidates, node columns] normalised over the set
  std::int64_t pick = 0;                  ///< Position in candidates
  std::vector<float> device_features;     ///< [devices, device columns]
  std::vector<std::uint8_t> legal;        ///< [devices]
  std::int64_t device = 0;
  float weight = 0.0F;  ///< On both log-probabilities
};

struct EagerResult {
  std::vector<double> sel, plc;           ///< [steps] log-probabilities
  std::vector<std::int64_t> best_pick;    ///< [steps] arg-max of SEL
  std::vector<std::int64_t> best_device;  ///< [steps] arg-max of PLC over legal devices
  std::vector<float> gradient;            ///< [layout.size()]
};

/// The networks of section 3 of the paper in plain LibTorch: one matrix an arc, a decision at a
/// time, everything under autograd.
EagerResult run_eager(const Architecture& architecture,
                      const ParameterLayout& layout,
                      const std::vector<float>& weights,
                      const EncoderInput& input,
                      const std::vector<EagerStep>& steps,
                      float entropy_weight);

}  // namespace berth::doppler
