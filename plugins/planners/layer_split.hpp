// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/strategy_problem.hpp"

namespace berth::planners {

/// Layers of a problem that belong to the first and to the last stage whatever the cuts: an
/// embedding (labelled "embedding", in the artifact's files "-1") and a head ("head").
struct FixedEnds {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
[[nodiscard]] FixedEnds fixed_ends(const StrategyProblem& problem);

/// Layers per stage if the layers between the fixed ends are dealt evenly, the first stages taking
/// one more where they do not divide (largest remainder); the ends join the outer stages. Empty if
/// there are fewer layers between the ends than stages.
[[nodiscard]] std::vector<std::uint32_t> even_split(const StrategyProblem& problem,
                                                    std::uint32_t stages);

/// Layers per stage from text such as "4,4,5", which counts either all layers or those between the
/// fixed ends. @throws InputError showing the text and what the numbers must add up to.
[[nodiscard]] std::vector<std::uint32_t> parse_split(const StrategyProblem& problem,
                                                     const std::string& text);

}  // namespace berth::planners
