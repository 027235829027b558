// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "dot_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace berth::datasets {
namespace {

/// Letters, digits, underscore, point and every byte of a non-ASCII character.
bool is_id_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '.';
}

}  // namespace

bool DotToken::is_keyword(std::string_view word) const {
  return kind == Kind::kId && !quoted &&
         std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

DotTokens::DotTokens(const SourceText& source) : source_(source), rest_(source.text) {
  token_ = scan();
}

DotToken DotTokens::take() {
  DotToken taken = std::move(token_);
  token_ = scan();
  return taken;
}

void DotTokens::skip_blanks() {
  while (!rest_.empty()) {
    const char c = rest_.front();
    if (c == '\n') {
      ++line_;
      line_start_ = true;
      rest_.remove_prefix(1);
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      rest_.remove_prefix(1);
    } else if (rest_.starts_with("//") || (c == '#' && line_start_)) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else if (rest_.starts_with("/*")) {
      const std::size_t end = rest_.find("*/", 2);
      if (end == std::string_view::npos) {
        fail_at(source_, line_, "a comment that does not end; expected '*/'");
      }
      line_ += static_cast<std::size_t>(std::count(rest_.begin(), rest_.begin() + end, '\n'));
      rest_.remove_prefix(end + 2);
    } else {
      return;
    }
  }
}

DotToken DotTokens::scan_quoted() {
  DotToken token{DotToken::Kind::kId, {}, true, line_};
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      rest_.remove_prefix(i + 1);
      return token;
    }
    line_ += rest_[i] == '\n' ? 1 : 0;
    if (rest_[i] == '\\' && i + 1 < rest_.size() && (rest_[i + 1] == '"' || rest_[i + 1] == '\\')) {
      ++i;
    }
    token.text += rest_[i];
  }
  fail_at(source_, token.line, "a text that does not end; expected '\"'");
}

DotToken DotTokens::scan() {
  skip_blanks();
  line_start_ = false;
  if (rest_.empty()) {
    return {DotToken::Kind::kEnd, {}, false, line_};
  }
  if (rest_.front() == '"') {
    return scan_quoted();
  }
  for (const std::string_view mark : {"->", "--", "{", "}", "[", "]", "=", ";", ",", ":"}) {
    if (rest_.starts_with(mark)) {
      rest_.remove_prefix(mark.size());
      return {DotToken::Kind::kMark, std::string(mark), false, line_};
    }
  }
  std::size_t length = rest_.front() == '-' ? 1 : 0;
  while (length < rest_.size() && is_id_byte(rest_[length])) {
    ++length;
  }
  if (length == 0) {
    fail_at(source_, line_, shown(rest_.substr(0, 1)) + "; expected a name or one of {}[]=;,->");
  }
  DotToken token{DotToken::Kind::kId, std::string(rest_.substr(0, length)), false, line_};
  rest_.remove_prefix(length);
  return token;
}

}  // namespace berth::datasets
