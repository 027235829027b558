// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doppler_bench/experiments.hpp"

namespace berth::launcher {

/// One row of the main table.
struct Method {
  enum class Kind : std::uint8_t {
    kPlace,           ///< Places within the budget.
    kTrain,           ///< Trains within the budget; the best rollout counts, as in a search.
    kTrainAndRefine,  ///< Trains with half the budget, then annealing.
  };
  std::string_view label;
  std::string_view request;
  Kind kind = Kind::kPlace;
  std::string_view summary;
};

[[nodiscard]] std::span<const Method> methods();

/// Those of a list of labels. @throws InputError naming an unknown label and the nearest one, or
/// all.
[[nodiscard]] std::vector<Method> methods_of(std::span<const std::string> labels);

/// Rows of the main table: those that settings.methods names, else all; of these, --quick leaves
/// out what takes most of the time.
[[nodiscard]] std::vector<Method> main_methods(const BenchSettings& settings);
/// The labels that main_methods() leaves out, separated by commas; mostly none.
[[nodiscard]] std::string left_out_methods(const BenchSettings& settings);

struct MethodRun {
  double makespan = 0.0;  ///< Time units; the best met.
  Placement placement;
  std::uint64_t simulations = 0;
  double seconds = 0.0;
};

/// Runs a method on a problem with at most settings.budget simulations.
[[nodiscard]] MethodRun run_method(const Bench& bench,
                                   const Method& method,
                                   const std::shared_ptr<const PlacementProblem>& problem,
                                   std::uint64_t seed);

}  // namespace berth::launcher
