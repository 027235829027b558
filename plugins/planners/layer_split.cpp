// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "layer_split.hpp"

#include <charconv>
#include <numeric>
#include <sstream>

#include "berth/error.hpp"

namespace berth::planners {

FixedEnds fixed_ends(const StrategyProblem& problem) {
  const std::string& first = problem.layers.front();
  FixedEnds ends;
  ends.first = problem.layers.size() > 1 && (first == "embedding" || first == "-1") ? 1 : 0;
  ends.last = problem.layers.size() > 1 && problem.layers.back() == "head" ? 1 : 0;
  return ends;
}

std::vector<std::uint32_t> even_split(const StrategyProblem& problem, std::uint32_t stages) {
  const FixedEnds ends = fixed_ends(problem);
  const auto inner = static_cast<std::uint32_t>(problem.layers.size()) - ends.first - ends.last;
  if (stages == 0 || stages > inner) {
    return {};
  }
  std::vector<std::uint32_t> layers(stages, inner / stages);
  for (std::uint32_t q = 0; q < inner % stages; ++q) {
    ++layers[q];
  }
  layers.front() += ends.first;
  layers.back() += ends.last;
  return layers;
}

std::vector<std::uint32_t> parse_split(const StrategyProblem& problem, const std::string& text) {
  std::vector<std::uint32_t> layers;
  std::stringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, ',');) {
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), count);
    if (error != std::errc() || end != piece.data() + piece.size() || count == 0 ||
        count > problem.layers.size()) {
      throw InputError("layers: '" + text + "'; expected layers per stage, for example 4,4,5");
    }
    layers.push_back(count);
  }
  const FixedEnds ends = fixed_ends(problem);
  const std::size_t sum = std::accumulate(layers.begin(), layers.end(), std::size_t{0});
  const std::size_t inner = problem.layers.size() - ends.first - ends.last;
  if (sum == inner && !layers.empty()) {
    layers.front() += ends.first;
    layers.back() += ends.last;
  } else if (sum != problem.layers.size()) {
    throw InputError("layers: '" + text + "' adds up to " + std::to_string(sum) + "; expected " +
                     std::to_string(problem.layers.size()) + " layers of " + problem.model +
                     (inner < problem.layers.size()
                          ? ", or " + std::to_string(inner) + " without its ends"
                          : ""));
  }
  return layers;
}

}  // namespace berth::planners
