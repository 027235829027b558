// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "linear_block.hpp"

namespace berth::doppler {

LinearBlock::LinearBlock(const float* weight,
                         std::size_t outputs,
                         std::size_t row_length,
                         std::size_t first,
                         std::size_t inputs)
    : inputs_(inputs), outputs_(outputs), forward_(inputs * outputs), backward_(inputs * outputs) {
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = 0; i < inputs; ++i) {
      backward_[o * inputs + i] = weight[o * row_length + first + i];
    }
  }
  transpose(outputs, inputs, backward_.data(), forward_.data());
}

void LinearGradient::write(float* weight, std::size_t row_length, std::size_t first) const {
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (std::size_t i = 0; i < inputs_; ++i) {
      weight[o * row_length + first + i] += sum_[i * outputs_ + o];
    }
  }
}

}  // namespace berth::doppler
