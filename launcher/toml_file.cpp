// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "toml_file.hpp"

#include <charconv>

#include "berth/error.hpp"

#include "datasets/source_text.hpp"

namespace berth::launcher {

toml::table read_toml(const std::filesystem::path& file) {
  const datasets::SourceText source = datasets::load_source(file);
  try {
    return toml::parse(source.text);
  } catch (const toml::parse_error& error) {
    throw InputError(place_of(file, error.source()) +
                     ": no TOML: " + std::string(error.description()));
  }
}

std::string place_of(const std::filesystem::path& file, const toml::source_region& region) {
  return file.string() + ":" + std::to_string(region.begin.line);
}

std::string text_of(const toml::node& node, const std::string& place, const std::string& key) {
  if (const auto text = node.value_exact<std::string>()) {
    return *text;
  }
  if (const auto number = node.value_exact<std::int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto flag = node.value_exact<bool>()) {
    return *flag ? "true" : "false";
  }
  if (const auto number = node.value_exact<double>()) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, *number).ptr};
  }
  throw InputError(place + ": '" + key +
                   "' is a list, a table or a date; expected text, a number, "
                   "true or false");
}

void set_checked(Config& config,
                 const std::string& place,
                 std::string_view key,
                 const std::string& text) {
  try {
    config.set(key, text);
  } catch (const InputError& error) {
    rethrow_with_context(error, place);
  }
}

std::vector<const toml::table*> tables_of(const toml::node& node,
                                          const std::filesystem::path& file,
                                          const std::string& list) {
  const toml::array* rows = node.as_array();
  if (rows == nullptr) {
    throw InputError(place_of(file, node.source()) + ": '" + list +
                     "' is no list; expected a list of tables");
  }
  std::vector<const toml::table*> tables;
  for (const toml::node& row : *rows) {
    tables.push_back(row.as_table());
    if (tables.back() == nullptr) {
      throw InputError(place_of(file, row.source()) + ": '" + list +
                       "' holds something that is no table; expected a list of tables");
    }
  }
  return tables;
}

void refuse_key(const std::string& place,
                const std::string& key,
                const std::vector<std::string>& names) {
  const std::string near = nearest_name(key, names);
  std::string message = place + ": unknown key '" + key + "'; ";
  if (!near.empty()) {
    throw InputError(message + "did you mean '" + near + "'?");
  }
  message += "expected one of";
  for (const std::string& name : names) {
    message += " " + name;
  }
  throw InputError(message);
}

}  // namespace berth::launcher
