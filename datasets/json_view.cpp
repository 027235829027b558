// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "json_view.hpp"

#include <algorithm>
#include <cmath>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "json_text.hpp"
#include "numbers.hpp"

namespace berth::datasets {

nlohmann::json parse_json(const SourceText& source) {
  try {
    return nlohmann::json::parse(source.text);
  } catch (const nlohmann::json::parse_error& error) {
    fail_json(source, error.byte, error.what());
  } catch (const nlohmann::json::exception& error) {
    fail_json(source, 0, error.what());
  }
}

void JsonView::fail(const std::string& what) const {
  throw InputError(place_ + ": " + what);
}

void JsonView::fail_type(const std::string& expected) const {
  constexpr std::size_t kShown = 40;
  std::string found = value_->type_name();
  if (value_->is_primitive() && !value_->is_null()) {
    found +=
        " " +
        value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, kShown);
  }
  fail("found " + found + "; expected " + expected);
}

void JsonView::require_object() const {
  if (!value_->is_object()) {
    fail_type("an object {...}");
  }
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  require_object();
  const auto found = value_->find(key);
  if (found == value_->end()) {
    return std::nullopt;
  }
  const std::string separator = place_.ends_with(':')                    ? "/"
                                : place_.find(":/") != std::string::npos ? "/"
                                                                         : ":/";
  return JsonView(*found, place_ + separator + std::string(key));
}

JsonView JsonView::at(std::string_view key) const {
  auto found = find(key);
  if (!found) {
    fail("no key '" + std::string(key) + "'");
  }
  return *std::move(found);
}

std::vector<JsonView> JsonView::items() const {
  if (!value_->is_array()) {
    fail_type("a list [...]");
  }
  std::vector<JsonView> views;
  views.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    views.emplace_back((*value_)[i], place_ + "/" + std::to_string(i));
  }
  return views;
}

const std::string& JsonView::text() const {
  if (!value_->is_string()) {
    fail_type("text");
  }
  return value_->get_ref<const std::string&>();
}

double JsonView::number() const {
  if (!value_->is_number()) {
    fail_type("a number");
  }
  return value_->get<double>();
}

std::uint64_t JsonView::count() const {
  const double value = value_->is_number() ? value_->get<double>() : -1.0;
  if (!(value >= 0.0) || value != std::trunc(value) ||
      value > static_cast<double>(kMaxExactInteger)) {
    fail_type("an integer from 0 to 2^53");
  }
  return static_cast<std::uint64_t>(value);
}

bool JsonView::flag() const {
  if (value_->is_boolean()) {
    return value_->get<bool>();
  }
  if (value_->is_number() && (number() == 0.0 || number() == 1.0)) {
    return number() == 1.0;
  }
  fail_type("true or false");
}

void JsonView::require_keys(std::initializer_list<std::string_view> known) const {
  require_object();
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) {
      continue;
    }
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string near = nearest_name(key, names);
    std::string all;
    for (const std::string& name : names) {
      all += (all.empty() ? "" : ", ") + name;
    }
    fail("unknown key " + shown(key) + "; " +
         (near.empty() ? "expected one of " + all : "did you mean '" + near + "'?"));
  }
}

void require_format(const JsonView& root, std::string_view format, int version) {
  const auto found = root.find("format");
  if (!found || found->text() != format) {
    root.fail((found ? "format is " + shown(found->text()) : std::string("no key 'format'")) +
              "; expected \"format\": \"" + std::string(format) + "\"");
  }
  const JsonView number = root.at("version");
  if (number.count() != static_cast<std::uint64_t>(version)) {
    root.fail("version " + number_text(number.number()) + " of " + std::string(format) +
              "; this berth reads version " + std::to_string(version));
  }
}

}  // namespace berth::datasets
