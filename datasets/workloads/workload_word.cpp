// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "workload_word.hpp"

#include <charconv>
#include <string>
#include <vector>

#include "berth/error.hpp"

#include "random_graph.hpp"
#include "workload.hpp"

namespace berth::datasets {
namespace {

constexpr std::string_view kPrefix = "workload:";

std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts(1);
  for (const char c : word.substr(kPrefix.size())) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

[[noreturn]] void refuse(std::string_view word, const std::string& what) {
  std::string names;
  for (const std::string_view name : workload_names()) {
    names.append(names.empty() ? "" : ", ").append(name);
  }
  throw InputError(
      "'" + std::string(word) + "': " + what +
      "; expected workload:NAME[:DEVICES[:reference|physical[:EXTENTS]]], NAME one of " + names);
}

}  // namespace

bool is_workload_word(std::string_view word) noexcept {
  return word.starts_with(kPrefix) || is_random_word(word);
}

Graph make_workload_of(std::string_view word) {
  if (is_random_word(word)) {
    return make_random_graph_of(word);
  }
  const std::vector<std::string> parts = parts_of(word);
  WorkloadSpec spec;
  spec.name = parts[0];
  if (parts.size() > 4) {
    refuse(word, "too many parts");
  }
  if (parts.size() > 1) {
    const std::string& text = parts[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), spec.devices);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse(word, "'" + text + "' is no number of devices");
    }
  }
  if (parts.size() > 2 && parts[2] != "reference" && parts[2] != "physical") {
    refuse(word, "unknown costs '" + parts[2] + "'");
  }
  spec.costs =
      parts.size() > 2 && parts[2] == "physical" ? CostMode::kPhysical : CostMode::kReference;
  try {
    spec.extents = parts.size() > 3 ? parse_parts(parts[3], "extents") : Parts{};
    return make_workload(spec);
  } catch (const InputError& error) {
    rethrow_with_context(error, "'" + std::string(word) + "'");
  }
}

}  // namespace berth::datasets
