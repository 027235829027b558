// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "json_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace berth::datasets {

void append_json_string(std::string& out, std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  out += nlohmann::json(text).dump(
      -1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

void fail_json(const SourceText& source, std::size_t position, std::string_view what) {
  const auto end =
      source.text.begin() + static_cast<std::ptrdiff_t>(std::min(position, source.text.size()));
  const auto line = 1 + std::count(source.text.begin(), end, '\n');
  // nlohmann: "[json.exception.parse_error.101] parse error at line 1, column 2: detail".
  const std::size_t detail = what.find(": ");
  std::string text(detail == std::string_view::npos ? what : what.substr(detail + 2));
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t kShown = 160;
  fail_at(source, static_cast<std::size_t>(line), "not JSON: " + text.substr(0, kShown));
}

}  // namespace berth::datasets
