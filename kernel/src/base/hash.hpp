// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace berth::internal {

/// 64-bit FNV-1a over words; for content hashes, not for security.
class Hasher {
 public:
  void word(std::uint64_t value) noexcept {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      hash_ = (hash_ ^ ((value >> shift) & 0xffU)) * 0x100000001b3ULL;
    }
  }
  void number(double value) noexcept {
    std::uint64_t bits = 0;
    value = value == 0.0 ? 0.0 : value;  // -0 and 0 are one value
    std::memcpy(&bits, &value, sizeof bits);
    word(bits);
  }
  void text(std::string_view value) noexcept {
    word(value.size());
    for (const char c : value) {
      word(static_cast<unsigned char>(c));
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace berth::internal
