// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "adam.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

#include "function_clones.hpp"

namespace berth::doppler {
namespace {

struct Coefficients {
  float scale = 1.0F;
  float rate = 0.0F;  ///< Learning rate over the first moment's bias
  float root = 1.0F;  ///< 1 / square root of the second moment's bias
};

BERTH_CLONES void descend(std::size_t count,
                          Coefficients by,
                          const float* gradient,
                          float* first,
                          float* second,
                          float* weights) {
  constexpr float kBeta1 = 0.9F;
  constexpr float kBeta2 = 0.999F;
  constexpr float kEpsilon = 1e-8F;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] * by.scale;
    first[i] = kBeta1 * first[i] + (1.0F - kBeta1) * g;
    second[i] = kBeta2 * second[i] + (1.0F - kBeta2) * g * g;
    weights[i] -= by.rate * first[i] / (std::sqrt(second[i]) * by.root + kEpsilon);
  }
}

}  // namespace

void Adam::step(std::span<float> weights,
                std::span<const float> gradient,
                double scale,
                double learning_rate) {
  BERTH_CHECK(weights.size() == first_.size() && gradient.size() == first_.size(),
              "doppler: a gradient of another size");
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  const Coefficients by{static_cast<float>(scale),
                        static_cast<float>(learning_rate / (1.0 - std::pow(0.9, steps))),
                        static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(0.999, steps)))};
  descend(weights.size(), by, gradient.data(), first_.data(), second_.data(), weights.data());
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

double mean_scale(std::span<const float> gradient, std::uint64_t rollouts, double clip_norm) {
  const double scale = 1.0 / static_cast<double>(std::max<std::uint64_t>(1, rollouts));
  if (clip_norm <= 0.0) {
    return scale;
  }
  double square = 0.0;
  for (const float g : gradient) {
    square += static_cast<double>(g) * static_cast<double>(g);
  }
  const double norm = std::sqrt(square) * scale;
  return norm > clip_norm ? scale * (clip_norm / norm) : scale;
}

}  // namespace berth::doppler
