// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "source_text.hpp"

namespace berth::datasets {

/// One token of the DOT language.
struct DotToken {
  enum class Kind : std::uint8_t { kEnd, kId, kMark };
  Kind kind = Kind::kEnd;
  std::string text;     ///< A mark is one of { } [ ] = ; , : -> --
  bool quoted = false;  ///< A quoted id is never a keyword.
  std::size_t line = 1;

  [[nodiscard]] bool is(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
  /// Keywords are case-independent and never quoted.
  [[nodiscard]] bool is_keyword(std::string_view word) const;
};

/// Cuts DOT text into tokens; comments and preprocessor lines vanish, quoted ids are unescaped.
class DotTokens {
 public:
  /// @param source must outlive the object.
  explicit DotTokens(const SourceText& source);

  [[nodiscard]] const DotToken& peek() const { return token_; }
  /// The current token; moves to the next. @throws InputError "file:line" at an open string or
  /// comment, or at a character that no token starts with.
  DotToken take();

 private:
  void skip_blanks();
  DotToken scan();
  DotToken scan_quoted();

  const SourceText& source_;
  std::string_view rest_;
  std::size_t line_ = 1;
  bool line_start_ = true;
  DotToken token_;
};

}  // namespace berth::datasets
