// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "chooser.hpp"

#include "softmax.hpp"

namespace berth::doppler {

std::size_t Chooser::choose(std::span<const float> logits,
                            std::span<const std::uint8_t> legal,
                            double explore) {
  if (mode_ == ActMode::kGreedy) {
    return arg_max(logits, legal);
  }
  if (mode_ == ActMode::kEpsGreedy) {
    return rng_->uniform() > explore ? arg_max(logits, legal) : uniform(logits, legal);
  }
  if (probability_.size() < logits.size()) {
    probability_.resize(logits.size());
  }
  const std::span<float> probability = std::span(probability_).first(logits.size());
  softmax(logits, legal, explore, probability);
  return sample(probability, rng_->uniform());
}

std::size_t Chooser::uniform(std::span<const float> logits, std::span<const std::uint8_t> legal) {
  const auto is_legal = [&](std::size_t i) { return legal.empty() || legal[i] != 0; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    count += is_legal(i) ? 1 : 0;
  }
  std::size_t skip = rng_->below(count);
  std::size_t i = 0;
  for (; !is_legal(i) || skip > 0; ++i) {
    skip -= is_legal(i) ? 1 : 0;
  }
  return i;
}

}  // namespace berth::doppler
