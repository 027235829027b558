// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "adam.hpp"

#include <cmath>

#include "berth/error.hpp"

namespace berth::doppler {

void Adam::step(std::span<float> weights,
                std::span<const float> gradient,
                double scale,
                double learning_rate) {
  BERTH_CHECK(weights.size() == first_.size() && gradient.size() == first_.size(),
              "doppler: a gradient of another size");
  constexpr float kBeta1 = 0.9F;
  constexpr float kBeta2 = 0.999F;
  constexpr float kEpsilon = 1e-8F;
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  const auto rate = static_cast<float>(learning_rate / (1.0 - std::pow(0.9, steps)));
  const auto root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(0.999, steps)));
  const auto factor = static_cast<float>(scale);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float g = gradient[i] * factor;
    first_[i] = kBeta1 * first_[i] + (1.0F - kBeta1) * g;
    second_[i] = kBeta2 * second_[i] + (1.0F - kBeta2) * g * g;
    weights[i] -= rate * first_[i] / (std::sqrt(second_[i]) * root + kEpsilon);
  }
}

void Adam::save(StateWriter& writer) const {
  const std::int64_t shape[] = {static_cast<std::int64_t>(first_.size())};
  writer.tensor("adam/first", shape, std::span<const float>(first_));
  writer.tensor("adam/second", shape, std::span<const float>(second_));
  writer.tensor("adam/steps", {}, std::span<const std::uint64_t>(&steps_, 1));
}

void Adam::load(const StateReader& reader) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(first_.size())};
  reader.tensor("adam/first", shape, std::span<float>(first_));
  reader.tensor("adam/second", shape, std::span<float>(second_));
  reader.tensor("adam/steps", {}, std::span<std::uint64_t>(&steps_, 1));
}

}  // namespace berth::doppler
