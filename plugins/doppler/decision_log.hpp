// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace berth::doppler {

/// One step of an episode: which op was picked, where it went, and whether the device was the
/// policy's own choice or given (kept from the best known placement).
struct Decision {
  std::uint32_t op = 0;
  std::uint32_t device = 0;
  bool given = false;
};

/// Rollout::decisions: two words a step, the op and the device; the top bit of the device word
/// marks a given device.
class DecisionLog {
 public:
  static constexpr std::uint32_t kGiven = 0x80000000U;

  static void append(std::vector<std::uint32_t>& words, const Decision& decision) {
    words.push_back(decision.op);
    words.push_back(decision.device | (decision.given ? kGiven : 0U));
  }

  explicit DecisionLog(std::span<const std::uint32_t> words) : words_(words) {}
  [[nodiscard]] std::size_t size() const noexcept { return words_.size() / 2; }
  [[nodiscard]] Decision operator[](std::size_t step) const noexcept {
    const std::uint32_t device = words_[2 * step + 1];
    return {words_[2 * step], device & ~kGiven, (device & kGiven) != 0};
  }

 private:
  std::span<const std::uint32_t> words_;
};

}  // namespace berth::doppler
