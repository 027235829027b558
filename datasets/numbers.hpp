// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::datasets {

/// Greatest integer that a double, and so a time in a file's own units, holds exactly: 2^53.
inline constexpr std::uint64_t kMaxExactInteger = std::uint64_t{1} << 53U;

/// Most devices that a topology, table or trace may have.
inline constexpr std::uint64_t kMaxDevices = 4096;

/// The whole token as a number, independent of the locale; nothing for anything else, NaN and
/// infinity included.
[[nodiscard]] std::optional<double> parse_real(std::string_view token);

/// The whole token as an integer in 0 .. 2^53; nothing for anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view token);

/// The shortest text that reads back as the same double; 3.0 gives "3".
[[nodiscard]] std::string number_text(double value);

/// Sixteen hexadecimal digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

}  // namespace berth::datasets
