// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <set>

#include <nlohmann/json.hpp>

#include "checkpoint.hpp"

namespace berth::checkpoints {
namespace {

template <class Value>
std::string list(const std::vector<Value>& values) {
  std::string text;
  for (const Value value : values) {
    text += (text.empty() ? "" : " ") + std::to_string(value);
  }
  return text;
}

void compare(std::vector<std::string>& lines,
             const std::string& name,
             const std::string& a,
             const std::string& b) {
  if (a != b) {
    lines.push_back(name + ": '" + a + "' and '" + b + "'");
  }
}

std::string plain(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Names each value that differs; configurations that are no JSON objects are compared as texts.
void compare_configs(std::vector<std::string>& lines, const std::string& a, const std::string& b) {
  const auto left = nlohmann::json::parse(a, nullptr, /*allow_exceptions=*/false);
  const auto right = nlohmann::json::parse(b, nullptr, /*allow_exceptions=*/false);
  if (!left.is_object() || !right.is_object() || left == right) {
    compare(lines, "config", a, b);
    return;
  }
  const nlohmann::json flat_left = left.flatten();
  const nlohmann::json flat_right = right.flatten();
  nlohmann::json all = flat_left;
  all.update(flat_right);
  for (const auto& [key, ignored] : all.items()) {
    const std::string name = "config" + key;
    if (!flat_left.contains(key) || !flat_right.contains(key)) {
      lines.push_back(name + ": only in the " + (flat_left.contains(key) ? "first" : "second"));
    } else {
      compare(lines, name, plain(flat_left[key]), plain(flat_right[key]));
    }
  }
}

/// Number of values whose bits differ, and the first of them.
template <class Value>
void compare_values(std::vector<std::string>& lines,
                    const std::string& name,
                    const std::vector<Value>& a,
                    const std::vector<Value>& b) {
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (std::memcmp(&a[i], &b[i], sizeof(Value)) != 0) {
      ++count;
      first = i;
    }
  }
  if (count > 0) {
    lines.push_back(name + ": " + std::to_string(count) + " of " + std::to_string(a.size()) +
                    " values differ, the first at " + std::to_string(first) + ": " +
                    std::to_string(a[first]) + " and " + std::to_string(b[first]));
  }
}

void compare_entries(std::vector<std::string>& lines,
                     const std::string& name,
                     const Entry& a,
                     const Entry& b) {
  if (a.type != b.type || a.shape != b.shape) {
    lines.push_back(name + ": " + std::string(name_of(a.type)) + " [" + list(a.shape) + "] and " +
                    std::string(name_of(b.type)) + " [" + list(b.shape) + "]");
    return;
  }
  compare_values(lines, name, a.float32, b.float32);
  compare_values(lines, name, a.float64, b.float64);
  compare_values(lines, name, a.uint64, b.uint64);
  compare(lines, name, a.text, b.text);
}

}  // namespace

std::string_view name_of(EntryType type) noexcept {
  constexpr std::string_view kNames[] = {"float32", "float64", "uint64", "text"};
  return kNames[static_cast<std::size_t>(type)];
}

std::vector<std::string> differences(const Checkpoint& a, const Checkpoint& b) {
  std::vector<std::string> lines;
  const Header& left = a.header;
  const Header& right = b.header;
  compare(lines,
          "format_version",
          std::to_string(left.format_version),
          std::to_string(right.format_version));
  compare(lines, "plugin", left.plugin, right.plugin);
  compare(lines, "plugin_version", left.plugin_version, right.plugin_version);
  compare(lines, "policy", left.policy, right.policy);
  compare(lines, "seed", std::to_string(left.seed), std::to_string(right.seed));
  compare(lines, "update", std::to_string(left.update), std::to_string(right.update));
  compare_configs(lines, left.config, right.config);
  compare(lines, "graph_hashes", list(left.graph_hashes), list(right.graph_hashes));
  compare(lines, "topology_hashes", list(left.topology_hashes), list(right.topology_hashes));
  std::set<std::string> names;
  for (const State* state : {&a.state, &b.state}) {
    for (const auto& [name, entry] : *state) {
      names.insert(name);
    }
  }
  for (const std::string& name : names) {
    const auto in_a = a.state.find(name);
    const auto in_b = b.state.find(name);
    if (in_a == a.state.end() || in_b == b.state.end()) {
      lines.push_back(name + ": only in the " + (in_b == b.state.end() ? "first" : "second"));
    } else {
      compare_entries(lines, name, in_a->second, in_b->second);
    }
  }
  return lines;
}

}  // namespace berth::checkpoints
