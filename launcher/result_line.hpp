// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "berth/problem.hpp"

namespace berth::launcher {

/// What is known of one placement of one problem; the same keys wherever results are printed.
struct PlacementResult {
  std::string policy;
  double makespan = 0.0;     ///< Time units.
  double lower_bound = 0.0;  ///< The problem's own, or one that the policy proved.
  std::uint64_t simulations = 0;
  double seconds = 0.0;  ///< Wall-clock time that the policy took.
  std::uint64_t placement_hash = 0;
};

/// makespan / reference - 1, the reference being the problem's optimum where known, else
/// `lower_bound`; where that is 0, 0 for a makespan of 0, else infinite.
[[nodiscard]] double gap_of(const PlacementProblem& problem, double makespan, double lower_bound);

/// Keys graph, model, makespan, makespan_seconds, lower_bound, optimum where known, gap, ops,
/// devices: what every result line has.
[[nodiscard]] nlohmann::ordered_json problem_line(const PlacementProblem& problem,
                                                  double makespan,
                                                  double lower_bound);

/// The same with policy, simulations, seconds and placement_hash.
[[nodiscard]] nlohmann::ordered_json result_line(const PlacementProblem& problem,
                                                 const PlacementResult& result);

/// Sixteen hexadecimal digits.
[[nodiscard]] std::string hex(std::uint64_t value);

}  // namespace berth::launcher
