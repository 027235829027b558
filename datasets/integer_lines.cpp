// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "integer_lines.hpp"

#include <cmath>

#include "numbers.hpp"

namespace berth::datasets {

std::vector<double> number_line(const SourceText& source,
                                LineReader& lines,
                                const std::string& expected) {
  if (!lines.next_content()) {
    fail_at(source, lines.number() + 1, "the file ends; expected " + expected);
  }
  std::vector<double> values;
  for (const std::string_view token : split(lines.line(), " \t,;")) {
    const auto value = parse_real(token);
    if (!value || *value < 0.0) {
      fail_at(source, lines.number(), shown(token) + " is not a number >= 0; expected " + expected);
    }
    values.push_back(*value);
  }
  if (values.empty()) {
    fail_at(source,
            lines.number(),
            shown(trimmed(lines.line())) + " holds no number; expected " + expected);
  }
  return values;
}

std::uint64_t id_below(const SourceText& source,
                       const LineReader& lines,
                       double value,
                       std::uint64_t count,
                       const char* what) {
  if (value != std::trunc(value) || value >= static_cast<double>(count)) {
    fail_at(source,
            lines.number(),
            std::string(what) + " " + number_text(value) + "; expected an integer below " +
                std::to_string(count));
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace berth::datasets
