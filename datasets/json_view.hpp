// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "source_text.hpp"

namespace berth::datasets {

/// Parses a whole document. @throws InputError "file:line: not JSON: ...".
[[nodiscard]] nlohmann::json parse_json(const SourceText& source);

/// A JSON value that knows its place, so that every wrong type, absent or unknown key gives
/// "file:/links/3/bandwidth: found; expected". The document must outlive the view.
class JsonView {
 public:
  JsonView(const nlohmann::json& value, std::string place)
      : value_(&value), place_(std::move(place)) {}

  /// Value of a key; the plain form throws InputError if the key is absent.
  [[nodiscard]] JsonView at(std::string_view key) const;
  [[nodiscard]] std::optional<JsonView> find(std::string_view key) const;
  /// Elements of a list.
  [[nodiscard]] std::vector<JsonView> items() const;

  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] double number() const;
  /// An integer from 0 to 2^53.
  [[nodiscard]] std::uint64_t count() const;
  /// true, false, 0 or 1.
  [[nodiscard]] bool flag() const;

  /// @throws InputError naming the first key that is not in `known`, and the nearest that is.
  void require_keys(std::initializer_list<std::string_view> known) const;

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  /// @throws InputError "place: what".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void fail_type(const std::string& expected) const;
  void require_object() const;

  const nlohmann::json* value_;
  std::string place_;
};

/// Checks "format" and "version" of a Berth document. @throws InputError naming both versions.
void require_format(const JsonView& root, std::string_view format, int version);

}  // namespace berth::datasets
