// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench_nest_run.hpp"

namespace berth::launcher {

inline constexpr std::array kNestExperiments = {"figure5", "readme", "figure6", "exhaustive"};

/// Geometric mean of time over the first planner's time, over the cases where both have a plan.
struct Gain {
  double mean = 0.0;  ///< 0 without cases.
  std::size_t cases = 0;
};

/// @param best_cuts whether the planner's degrees are given their best cuts.
[[nodiscard]] Gain measured_gain(std::span<const CaseResult> results,
                                 std::size_t planner,
                                 bool best_cuts);

/// The same from published throughputs, over the published points among the cases; no value for a
/// planner that the paper does not report.
[[nodiscard]] std::optional<Gain> published_gain(std::span<const CaseResult> results,
                                                 const std::string& planner);

/// Tables for people: times, gains, published gains, what was infeasible and why.
[[nodiscard]] std::string bench_text(std::span<const PolicyRequest> planners,
                                     std::span<const CaseResult> results);

/// One JSON line per case and planner on standard output.
void print_bench_lines(std::span<const PolicyRequest> planners,
                       std::span<const CaseResult> results);

/// A self-contained page with the same tables. @throws RunError if it cannot be written.
void write_bench_page(std::span<const PolicyRequest> planners,
                      std::span<const CaseResult> results,
                      const std::string& file);

}  // namespace berth::launcher
