// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {

/// Mixes 64 bits to 64 bits (the finaliser of SplitMix64, Steele et al., OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// A random stream (xoshiro256++, Blackman and Vigna, 2019). A stream is named by what it is
/// for, e.g. `Rng(run_seed, {update, rollout_id, purpose})`, never by rank, thread or time, so
/// results do not depend on how work is spread.
class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::initializer_list<std::uint64_t> stream = {}) noexcept {
    std::uint64_t key = mix64(seed);
    for (const std::uint64_t part : stream) {
      key = mix64(key ^ mix64(part + 0x632be59bd9b4e019ULL));
    }
    for (std::uint64_t& word : state_) {
      word = key = mix64(key);
    }
  }

  /// 64 uniform bits.
  [[nodiscard]] std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  /// Uniform in 0 .. bound-1, unbiased (Lemire 2019). @pre bound > 0
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept {
    BERTH_DCHECK(bound > 0, "below(0)");
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>(next()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace abi_v1
}  // namespace berth
