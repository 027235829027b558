// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <charconv>
#include <cmath>
#include <vector>

#include "berth/error.hpp"

#include "random_graph.hpp"

namespace berth::datasets {
namespace {

constexpr std::string_view kRandomPrefix = "random:";

template <class Number>
Number part_of(std::string_view word, std::string_view text, const char* expected) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError("'" + std::string(word) + "': '" + std::string(text) + "'; expected " +
                     expected + " as in random:layered:40:1.5:7");
  }
  return value;
}

}  // namespace

bool is_random_word(std::string_view word) noexcept {
  return word.starts_with(kRandomPrefix);
}

Graph make_random_graph_of(std::string_view word) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = word.substr(kRandomPrefix.size());;) {
    const std::size_t colon = rest.find(':');
    parts.push_back(rest.substr(0, colon));
    if (colon == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  if (parts.size() > 4) {
    throw InputError("'" + std::string(word) +
                     "': too many parts; expected random:FAMILY[:OPS[:CCR[:SEED]]]");
  }
  RandomGraphSpec spec;
  spec.family = parts[0];
  if (parts.size() > 1) {
    spec.ops = part_of<std::size_t>(word, parts[1], "a number of ops");
  }
  if (parts.size() > 2) {
    spec.ccr = part_of<double>(word, parts[2], "a ratio of transfer to work");
    if (!(spec.ccr >= 0.0) || std::isinf(spec.ccr)) {
      throw InputError("'" + std::string(word) + "': '" + std::string(parts[2]) +
                       "'; expected a ratio of transfer to work, finite and >= 0, as in "
                       "random:layered:40:1.5:7");
    }
  }
  if (parts.size() > 3) {
    spec.seed = part_of<std::uint64_t>(word, parts[3], "a seed");
  }
  try {
    return make_random_graph(spec);
  } catch (const InputError& error) {
    rethrow_with_context(error, "'" + std::string(word) + "'");
  }
}

}  // namespace berth::datasets
