// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "strict_json.hpp"

#include <set>
#include <vector>

#include "berth/error.hpp"

namespace berth::datasets {
namespace {

using nlohmann::json;

/// Error messages print values recursively: far below what a stack holds.
constexpr int kDeepest = 64;

}  // namespace

json parse_strict_json(const std::string& file,
                       const std::string& text,
                       const std::string& format) {
  std::vector<std::set<std::string>> keys;  // of every object that is open
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > kDeepest) {
      throw InputError(file + ": more than " + std::to_string(kDeepest) +
                       " levels of brackets; expected a " + format + " document");
    }
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key &&
               !keys.back().insert(value.get<std::string>()).second) {
      throw InputError(file + ": key " + value.dump() + " twice in one object; expected it once");
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::parse_error& error) {
    throw InputError(file + ": not valid JSON at byte " + std::to_string(error.byte) +
                     "; expected a " + format + " document");
  } catch (const json::out_of_range&) {
    throw InputError(file + ": a number beyond 1.8e308; expected a " + format + " document");
  }
}

}  // namespace berth::datasets
