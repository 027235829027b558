// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

std::string number_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool is_choice(std::string_view choices, std::string_view text) {
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find(',', begin), choices.size());
    if (choices.substr(begin, end - begin) == text) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& place,
                         std::string_view text,
                         const std::string& expected) {
  throw InputError(place + ": '" + std::string(text) + "'; expected " + expected);
}

void check_number(const std::string& place, const berth_option_spec& spec, std::string_view text) {
  const bool whole = spec.type == BERTH_OPTION_INTEGER;
  double value = 0.0;
  std::int64_t integer = 0;
  bool ok = whole ? parse_number(text, integer) : parse_number(text, value);
  value = whole ? static_cast<double>(integer) : value;
  ok = ok && std::isfinite(value) && value >= spec.minimum && value <= spec.maximum;
  if (!ok) {
    const std::string unit = spec.unit[0] == '\0' ? "" : std::string(" ") + spec.unit;
    refuse(place,
           text,
           std::string(whole ? "an integer" : "a number") + " from " + number_text(spec.minimum) +
               " to " + number_text(spec.maximum) + unit);
  }
}

}  // namespace

Config::Config(std::span<const berth_option_spec> specs, std::string scope)
    : specs_(specs), scope_(std::move(scope)) {
  for (const berth_option_spec& spec : specs_) {
    set(spec.name, spec.default_value);
  }
}

const berth_option_spec& Config::spec(std::string_view name) const {
  const auto found = std::find_if(specs_.begin(), specs_.end(), [name](const auto& spec) {
    return std::string_view(spec.name) == name;
  });
  if (found != specs_.end()) {
    return *found;
  }
  std::vector<std::string> names;
  for (const berth_option_spec& known : specs_) {
    names.emplace_back(known.name);
  }
  std::string message =
      (scope_.empty() ? "" : scope_ + ": ") + "unknown option '" + std::string(name) + "'";
  const std::string near = nearest_name(name, names);
  if (!near.empty()) {
    message += "; did you mean '" + near + "'?";
  } else if (names.empty()) {
    message += "; it has no options";
  } else {
    message += "; expected one of";
    for (const std::string& known : names) {
      message += " " + known;
    }
  }
  throw InputError(message);
}

void Config::set(std::string_view name, std::string_view text) {
  const berth_option_spec& option = spec(name);
  const std::string place = (scope_.empty() ? "" : scope_ + ": ") + option.name;
  switch (option.type) {
    case BERTH_OPTION_INTEGER:
    case BERTH_OPTION_REAL:
      check_number(place, option, text);
      break;
    case BERTH_OPTION_FLAG:
      if (text != "true" && text != "false") {
        refuse(place, text, "true or false");
      }
      break;
    case BERTH_OPTION_CHOICE:
      if (!is_choice(option.choices, text)) {
        refuse(place, text, "one of " + std::string(option.choices));
      }
      break;
    default:
      break;
  }
  values_[option.name] = text;
}

bool Config::has(std::string_view name) const {
  return values_.count(std::string(name)) > 0;
}

double Config::real(std::string_view name) const {
  double value = 0.0;
  BERTH_CHECK(parse_number(text(name), value), "option holds a number");
  return value;
}

std::int64_t Config::integer(std::string_view name) const {
  std::int64_t value = 0;
  BERTH_CHECK(parse_number(text(name), value), "option holds an integer");
  return value;
}

bool Config::flag(std::string_view name) const {
  return text(name) == "true";
}

const std::string& Config::text(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  BERTH_CHECK(found != values_.end(), "option '" + std::string(name) + "' is declared");
  return found->second;
}

}  // namespace abi_v1
}  // namespace berth
