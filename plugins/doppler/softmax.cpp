// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/error.hpp"

namespace berth::doppler {
namespace {

bool is_legal(std::span<const std::uint8_t> legal, std::size_t i) {
  return legal.empty() || legal[i] != 0;
}

}  // namespace

double softmax(std::span<const float> logits,
               std::span<const std::uint8_t> legal,
               double temperature,
               std::span<float> probability) {
  const auto inverse = static_cast<float>(1.0 / temperature);
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (is_legal(legal, i)) {
      most = std::max(most, logits[i] * inverse);
    }
  }
  float sum = 0.0F;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    probability[i] = is_legal(legal, i) ? std::exp(logits[i] * inverse - most) : 0.0F;
    sum += probability[i];
  }
  for (std::size_t i = 0; i < logits.size(); ++i) {
    probability[i] /= sum;
  }
  return static_cast<double>(most) + std::log(static_cast<double>(sum));
}

std::size_t arg_max(std::span<const float> logits, std::span<const std::uint8_t> legal) {
  std::size_t best = logits.size();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (is_legal(legal, i) && (best == logits.size() || logits[i] > logits[best])) {
      best = i;
    }
  }
  BERTH_CHECK(best < logits.size(), "doppler: a step without a legal action");
  return best;
}

std::size_t sample(std::span<const float> probability, double uniform) {
  double sum = 0.0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (probability[i] > 0.0F) {
      last = i;
      sum += static_cast<double>(probability[i]);
      if (uniform < sum) {
        return i;
      }
    }
  }
  return last;
}

void add_loss_gradient(std::span<const float> probability,
                       std::span<const float> target,
                       float entropy_weight,
                       std::span<float> out) {
  float total = 0.0F;
  float negative_entropy = 0.0F;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    total += target[i];
    if (probability[i] > 0.0F) {
      negative_entropy += probability[i] * std::log(probability[i]);
    }
  }
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (probability[i] > 0.0F) {
      out[i] += probability[i] * total - target[i] +
                entropy_weight * probability[i] * (std::log(probability[i]) - negative_entropy);
    }
  }
}

}  // namespace berth::doppler
