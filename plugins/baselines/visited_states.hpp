// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

namespace berth::baselines {

/// 128-bit fingerprint of a search state. Two of 10^8 different states share one with a
/// probability below 10^-22.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Fingerprint&) const = default;
};

/// A set of fingerprints in one open-addressed table that grows up to a limit; when full it
/// forgets new ones, which costs a search time but no correctness.
class VisitedStates {
 public:
  explicit VisitedStates(std::size_t most_states);

  /// True if the state is new, as far as the table remembers.
  bool insert(Fingerprint state);
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  void grow();

  std::size_t most_states_;
  std::size_t size_ = 0;
  std::vector<Fingerprint> slots_;  ///< A power of two; the zero fingerprint marks a free slot.
};

}  // namespace berth::baselines
