// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// The random stream of CPython's `random.Random(seed)` for an integer seed, bit for bit: MT19937
/// (Matsumoto and Nishimura, 1998) seeded by init_by_array. For comparisons with schedulers that
/// are written in Python; everything else draws from Rng.
class BERTH_API MersenneStream {
 public:
  explicit MersenneStream(std::uint32_t seed);

  /// 32 uniform bits.
  [[nodiscard]] std::uint32_t next();

  /// random(): uniform in [0, 1), 53 bits of two outputs.
  [[nodiscard]] double uniform();

  /// uniform(a, b) = a + (b - a) * random().
  [[nodiscard]] double uniform(double from, double to) { return from + (to - from) * uniform(); }

  /// _randbelow(n): the top bits of outputs until one is below n; draws also for n = 1.
  /// @pre bound > 0
  [[nodiscard]] std::uint32_t below(std::uint32_t bound);

  /// shuffle(list): i from the last down to 1, swapped with below(i + 1).
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i-- > 1;) {
      std::swap(values[i], values[below(static_cast<std::uint32_t>(i + 1))]);
    }
  }

 private:
  void refill();

  std::uint32_t state_[624];
  std::uint32_t used_ = 624;
};

}  // namespace abi_v1
}  // namespace berth
