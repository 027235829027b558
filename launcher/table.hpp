// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace berth::launcher {

inline constexpr double kHour = 3600.0;  ///< Seconds; long times are shown in hours.

/// A table for people: columns aligned, numbers to the right, UTF-8 counted by code point.
class Table {
 public:
  explicit Table(std::vector<std::string> header);

  /// @pre cells.size() == header.size()
  void add_row(std::vector<std::string> cells);

  /// The whole table, each line ended by a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Table::text() of rows, the first of which is the header. @pre rows of equal size, at least one
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows);

/// Writes the text to standard output as it is.
void print_text(const std::string& text);

/// Number with `digits` significant digits, all of a whole part, and an exponent below 1e-4 and
/// from 1e9 on: "1200", "56.70", "0.01230", "1.200e-05".
[[nodiscard]] std::string significant(double value, int digits = 4);

/// Number with `decimals` digits behind the point.
[[nodiscard]] std::string fixed(double value, int decimals);

/// A fraction as a percentage with one decimal: "3.4 %".
[[nodiscard]] std::string percent(double fraction);

}  // namespace berth::launcher
