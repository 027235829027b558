// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace berth::datasets {

/// A file in memory, as the readers take it: fuzzers and tests make one from a string.
struct SourceText {
  std::string place;  ///< How messages call it: the path as the user gave it.
  std::string text;   ///< Without a UTF-8 byte-order mark.

  /// Last part of the place without its extension: the name of a graph whose file has none.
  [[nodiscard]] std::string stem() const;
};

/// @throws InputError with the system's reason if the file cannot be read, or is a folder.
[[nodiscard]] SourceText load_source(const std::filesystem::path& file);

/// The first `limit` bytes of a file, for telling its format. @throws InputError as above.
[[nodiscard]] SourceText load_head(const std::filesystem::path& file, std::size_t limit);

/// @throws InputError "place:line: what".
[[noreturn]] void fail_at(const SourceText& source, std::size_t line, const std::string& what);

/// Walks over the lines of a text; line ends may be \n or \r\n, the last may lack one.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// Moves to the next line. @return false at the end.
  bool next();
  /// Moves to the next line that is neither blank nor a comment ('#' first). @return as next().
  bool next_content();

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }  ///< From 1; 0 before next().

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The pieces of `text` between runs of the characters in `separators`; never empty ones.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text,
                                                  std::string_view separators);

/// A token shortened and cleaned for a message: quoted, control characters replaced.
[[nodiscard]] std::string shown(std::string_view token);

}  // namespace berth::datasets
