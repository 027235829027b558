// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source_text.hpp"

namespace berth::datasets {

/// The numbers, at least one, of the next line that is neither blank nor a comment.
/// @throws InputError naming the line: the file ends, a token is no finite number >= 0, or there
///         are separators alone.
[[nodiscard]] std::vector<double> number_line(const SourceText& source,
                                              LineReader& lines,
                                              const std::string& expected);

/// A number as an id below `count`. @throws InputError naming line, value and count.
[[nodiscard]] std::uint64_t id_below(const SourceText& source,
                                     const LineReader& lines,
                                     double value,
                                     std::uint64_t count,
                                     const char* what);

/// Greatest number of ops or devices that a text header may announce.
inline constexpr double kMaxHeaderCount = 1e8;

}  // namespace berth::datasets
