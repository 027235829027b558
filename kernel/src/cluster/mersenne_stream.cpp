// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/mersenne_stream.hpp"

#include <bit>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr std::uint32_t kSize = 624;
constexpr std::uint32_t kShift = 397;

}  // namespace

// Reference: mt19937ar.c, Matsumoto and Nishimura 2002: init_genrand(19650218), then
// init_by_array with the one-word key {seed}.
MersenneStream::MersenneStream(std::uint32_t seed) {
  state_[0] = 19650218U;
  for (std::uint32_t i = 1; i < kSize; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + i;
  }
  std::uint32_t i = 1;
  for (std::uint32_t k = 0; k < kSize; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * 1664525U)) + seed;
    if (++i == kSize) {
      state_[0] = state_[kSize - 1];
      i = 1;
    }
  }
  for (std::uint32_t k = 1; k < kSize; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * 1566083941U)) - i;
    if (++i == kSize) {
      state_[0] = state_[kSize - 1];
      i = 1;
    }
  }
  state_[0] = 0x80000000U;
}

void MersenneStream::refill() {
  for (std::uint32_t i = 0; i < kSize; ++i) {
    const std::uint32_t mixed = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7fffffffU);
    state_[i] = state_[(i + kShift) % kSize] ^ (mixed >> 1U) ^ ((mixed & 1U) * 0x9908b0dfU);
  }
  used_ = 0;
}

std::uint32_t MersenneStream::next() {
  if (used_ == kSize) {
    refill();
  }
  std::uint32_t word = state_[used_++];
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9d2c5680U;
  word ^= (word << 15U) & 0xefc60000U;
  return word ^ (word >> 18U);
}

double MersenneStream::uniform() {
  const std::uint32_t high = next() >> 5U;
  const std::uint32_t low = next() >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::uint32_t MersenneStream::below(std::uint32_t bound) {
  BERTH_CHECK(bound > 0, "below(0)");
  const int bits = std::bit_width(bound);
  std::uint32_t value = bound;
  while (value >= bound) {
    value = next() >> static_cast<unsigned>(32 - bits);
  }
  return value;
}

}  // namespace abi_v1
}  // namespace berth
