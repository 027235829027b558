// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/rng.hpp"

namespace berth::doppler {

enum class ActMode : std::uint8_t { kGreedy, kSample, kEpsGreedy };

/// Draws actions by their logits; owns the buffer of probabilities.
class Chooser {
 public:
  Chooser(ActMode mode, std::size_t most_actions, Rng& rng)
      : mode_(mode), probability_(most_actions), rng_(&rng) {}

  /// @param legal [actions] != 0 for those to choose from; empty: all.
  /// @param explore temperature (kSample) or probability of a uniform action (kEpsGreedy).
  /// @return the action. @pre at least one is legal.
  std::size_t choose(std::span<const float> logits,
                     std::span<const std::uint8_t> legal,
                     double explore);

 private:
  std::size_t uniform(std::span<const float> logits, std::span<const std::uint8_t> legal);

  ActMode mode_;
  std::vector<float> probability_;
  Rng* rng_;
};

}  // namespace berth::doppler
