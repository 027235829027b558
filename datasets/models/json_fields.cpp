// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "json_fields.hpp"

#include <set>
#include <vector>

namespace berth::datasets {
namespace {

using nlohmann::json;

// Error messages print values recursively: far below what a stack holds.
constexpr int kDeepest = 64;

// Follows a parser through a document, to say where it stands.
class OpenValues {
 public:
  void see(json::parse_event_t event, const json& value, const std::string& place) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        count_element();
        open_.push_back({event == json::parse_event_t::array_start, 0, {}, {}});
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        open_.pop_back();
        break;
      case json::parse_event_t::key:
        open_.back().key = value.get<std::string>();
        if (!open_.back().keys.insert(open_.back().key).second) {
          fail(place);
        }
        break;
      case json::parse_event_t::value:
        count_element();
        break;
    }
  }

 private:
  struct Open {
    bool is_array = false;
    std::size_t elements = 0;  // begun, of an array
    std::string key;           // the latest, of an object
    std::set<std::string> keys;
  };

  void count_element() {
    if (!open_.empty() && open_.back().is_array) {
      ++open_.back().elements;
    }
  }

  [[noreturn]] void fail(const std::string& place) const {
    std::string path;
    for (std::size_t k = 0; k + 1 < open_.size(); ++k) {
      path += "/" + (open_[k].is_array ? std::to_string(open_[k].elements - 1) : open_[k].key);
    }
    throw InputError(place + (path.empty() ? "" : ": " + path) + ": key '" + open_.back().key +
                     "' twice in one object; expected it once");
  }

  std::vector<Open> open_;
};

}  // namespace

json parse_json_text(const std::string& text, const std::string& place) {
  OpenValues open;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > kDeepest) {
      throw InputError(place + ": more than " + std::to_string(kDeepest) +
                       " levels of brackets; expected fewer");
    }
    open.see(event, value, place);
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    throw InputError(place + ": not JSON: " + error.what());
  }
}

json parse_json_file(const std::filesystem::path& file) {
  return parse_json_text(load_source(file).text, file.string());
}

void refuse_file_without_ending(const std::string& word) {
  std::error_code ignored;
  if (!std::filesystem::exists(word, ignored)) {
    return;
  }
  // Nothing is read from a pipe, which might never end.
  if (std::filesystem::is_regular_file(word, ignored) ||
      std::filesystem::is_directory(word, ignored)) {
    static_cast<void>(parse_json_file(word));
  }
  throw InputError(word + ": a file whose name does not end in .json; expected one that does");
}

}  // namespace berth::datasets
