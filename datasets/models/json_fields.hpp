// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "datasets/source_text.hpp"

namespace berth::datasets {

/// A JSON value and where it stands, so that every complaint names its place.
class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string place)
      : value_(&value), place_(std::move(place)) {}

  [[nodiscard]] const nlohmann::json& json() const { return *value_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] bool has(const std::string& key) const {
    return value_->is_object() && value_->contains(key) && !(*value_)[key].is_null();
  }
  [[nodiscard]] std::size_t size() const { return value_->size(); }

  [[nodiscard]] JsonField at(const std::string& key) const {
    if (!value_->is_object()) {
      fail("an object");
    }
    if (!value_->contains(key)) {
      throw InputError(shown_place() + ": no field '" + key + "'; expected one");
    }
    return {(*value_)[key], place_ + "/" + key};
  }
  [[nodiscard]] JsonField at(std::size_t i) const {
    return {value_->at(i), place_ + "/" + std::to_string(i)};
  }
  const JsonField& array() const {
    if (!value_->is_array()) {
      fail("an array");
    }
    return *this;
  }
  const JsonField& object() const {
    if (!value_->is_object()) {
      fail("an object");
    }
    return *this;
  }

  /// A finite number in [least, most].
  [[nodiscard]] double number(double least = -std::numeric_limits<double>::max(),
                              double most = std::numeric_limits<double>::max()) const {
    if (!value_->is_number()) {
      fail("a number");
    }
    const double number = value_->get<double>();
    if (!(number >= least && number <= most)) {
      fail("a number from " + shown(least) + " to " + shown(most));
    }
    return number;
  }
  /// An integer in [least, most]; a fraction is refused.
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const {
    const double value = number(static_cast<double>(least), static_cast<double>(most));
    if (value != std::floor(value)) {
      fail("a whole number");
    }
    return static_cast<std::int64_t>(value);
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) {
      fail("true or false");
    }
    return value_->get<bool>();
  }
  [[nodiscard]] std::string text() const {
    if (!value_->is_string()) {
      fail("a text");
    }
    return value_->get<std::string>();
  }
  [[noreturn]] void fail(const std::string& expected) const {
    std::string found = value_->dump();
    if (found.size() > 60) {
      found = found.substr(0, 60) + "...";
    }
    throw InputError(shown_place() + ": " + found + "; expected " + expected);
  }
  /// The place in a message: of the whole value "file.json", of a field "file.json: /a/b".
  [[nodiscard]] std::string shown_place() const {
    return place_.ends_with(": ") ? place_.substr(0, place_.size() - 2) : place_;
  }

 private:
  static std::string shown(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
    return text.size() > 20 ? (value < 0 ? "-infinity" : "infinity") : text;
  }

  const nlohmann::json* value_;
  std::string place_;
};

/// A JSON text in which no object has a key twice, of at most 64 levels.
/// @throws InputError naming `place`, and the key and its path or what is wrong with the text.
[[nodiscard]] nlohmann::json parse_json_text(const std::string& text, const std::string& place);

/// The same of a whole file. @throws InputError naming the file.
[[nodiscard]] nlohmann::json parse_json_file(const std::filesystem::path& file);

/// For a word that is no known name and does not end in .json. Does nothing if no file or folder is
/// called so. @throws InputError saying that it is a folder, is not JSON, or lacks the ending.
void refuse_file_without_ending(const std::string& word);

}  // namespace berth::datasets
