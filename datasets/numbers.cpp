// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace berth::datasets {

std::optional<double> parse_real(std::string_view token) {
  if (token.starts_with('+')) {
    token.remove_prefix(1);
  }
  double value = 0.0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> parse_count(std::string_view token) {
  std::uint64_t value = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error != std::errc() || stop != end || value > kMaxExactInteger) {
    return std::nullopt;
  }
  return value;
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const double whole = std::trunc(value);
  // Integers without an exponent: 68719476736, not 6.8719476736e+10.
  const auto result =
      whole == value && std::abs(value) <= static_cast<double>(kMaxExactInteger)
          ? std::to_chars(
                buffer.data(), buffer.data() + buffer.size(), static_cast<std::int64_t>(value))
          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string hash_text(std::uint64_t hash) {
  std::array<char, 24> buffer{};
  const int length =
      std::snprintf(buffer.data(), buffer.size(), "%016llx", static_cast<unsigned long long>(hash));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace berth::datasets
