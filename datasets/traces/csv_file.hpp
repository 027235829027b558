// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace berth::datasets {

/// A text table in memory: comma-separated with a header row, fields in quotes as RFC 4180 has
/// them, but without line breaks. Errors name file, line and column.
class CsvFile {
 public:
  /// Reads a whole file; a byte-order mark, CRLF and a last line without newline are accepted.
  /// @throws InputError if it cannot be read, is empty, a column is there twice, a row has another
  /// number of fields, or quotes do not match.
  explicit CsvFile(const std::filesystem::path& file);

  [[nodiscard]] std::size_t num_rows() const noexcept { return rows_.size(); }
  [[nodiscard]] bool has_column(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }

  /// One field. @throws InputError if the column does not exist (names those that do).
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  /// One finite number >= 0. @throws InputError naming place, text and what was expected.
  [[nodiscard]] double number(std::size_t row, std::string_view column) const;
  /// One whole number from 0 to 4294967295.
  [[nodiscard]] std::uint32_t whole(std::size_t row, std::string_view column) const;

  /// "file:line", for messages.
  [[nodiscard]] std::string place(std::size_t row) const;

 private:
  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;  // [num_rows]
};

/// The lines of a text file without line ends and byte-order mark. @throws InputError.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& file);

/// Fields between separators, as they stand. @return at least one field.
[[nodiscard]] std::vector<std::string> split(std::string_view line, char separator);

/// A field as CSV has it: in quotes where it holds a comma, a quote or a line break (RFC 4180).
[[nodiscard]] std::string csv_field(const std::string& text);

/// A finite number >= 0 that fills the whole text. @throws InputError naming `place` and text.
[[nodiscard]] double parse_number(const std::string& place, std::string_view text);

}  // namespace berth::datasets
