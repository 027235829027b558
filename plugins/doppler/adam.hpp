// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/state.hpp"

namespace berth::doppler {

/// Adam (Kingma and Ba, 2015) on flat arrays: betas 0.9 and 0.999, epsilon 1e-8.
class Adam {
 public:
  explicit Adam(std::size_t size) : first_(size, 0.0F), second_(size, 0.0F) {}

  /// weights -= learning_rate * direction(gradient * scale)
  void step(std::span<float> weights,
            std::span<const float> gradient,
            double scale,
            double learning_rate);

  void save(StateWriter& writer) const;
  void load(const StateReader& reader);

 private:
  std::vector<float> first_, second_;
  std::uint64_t steps_ = 0;
};

/// What makes the mean over `rollouts` of a gradient summed over them, with the mean's norm at most
/// `clip_norm` (0: any).
[[nodiscard]] double mean_scale(std::span<const float> gradient,
                                std::uint64_t rollouts,
                                double clip_norm);

}  // namespace berth::doppler
