// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "berth/simulator.hpp"

#include "../quartiles.hpp"
#include "calibration.hpp"

namespace berth::launcher {
namespace {

/// Of each placement's simulations against what was measured. @param simulated
/// [placements][simulations]
Agreement agreement_of_medians(std::vector<std::vector<double>> simulated,
                               const Calibration& found) {
  std::vector<double> medians;
  for (std::vector<double>& seconds : simulated) {
    medians.push_back(median_of(std::move(seconds)));
  }
  return agreement(medians, found.measured_seconds);
}

}  // namespace

void level_rounds(std::vector<std::vector<double>>& seconds) {
  if (seconds.empty()) {
    return;
  }
  std::vector<double> medians;
  for (std::size_t round = 0; round < seconds.front().size(); ++round) {
    std::vector<double> of_round;
    for (const std::vector<double>& row : seconds) {
      of_round.push_back(row[round]);
    }
    medians.push_back(median_of(std::move(of_round)));
  }
  const double common = median_of(medians);
  for (std::vector<double>& row : seconds) {
    for (std::size_t round = 0; round < row.size(); ++round) {
      row[round] *= common / medians[round];
    }
  }
}

double best_rank(double between_halves) {
  const double r = std::max(0.0, between_halves);
  return std::sqrt(2.0 * r / (1.0 + r));
}

Agreement agreement(std::span<const double> predicted, std::span<const double> measured) {
  Agreement result;
  const auto count = static_cast<double>(predicted.size());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double ratio = predicted[i] / measured[i];
    result.mean_error += std::abs(ratio - 1.0) / count;
    result.mean_ratio += ratio / count;
  }
  const auto alike = [](std::span<const double> values) {
    const auto [least, most] = std::ranges::minmax(values);
    return least == most;
  };
  result.rank = alike(predicted) || alike(measured) ? std::numeric_limits<double>::quiet_NaN()
                                                    : rank_correlation(predicted, measured);
  return result;
}

Agreement agreement(const PlacementProblem& problem, const Calibration& found) {
  Simulator simulator(problem);
  std::vector<double> simulated;
  for (const Placement& placement : found.placements) {
    simulated.push_back(simulator.makespan(placement.device) * problem.costs.seconds_per_unit);
  }
  return agreement(simulated, found.measured_seconds);
}

Agreement agreement_of_varied(const PlacementProblem& problem, const Calibration& found) {
  constexpr std::uint64_t kSimulations = 100;
  ExecutionOptions varied = problem.execution;
  varied.compute_noise = std::min(found.variation, kMostNoise);
  std::vector<std::vector<double>> simulated(found.placements.size());  // [placements][simulations]
  for (std::uint64_t seed = 0; seed < kSimulations; ++seed) {
    varied.noise_seed = seed;
    const auto drawn = make_problem(problem.name, problem.graph, problem.topology, varied);
    Simulator simulator(*drawn);
    for (std::size_t i = 0; i < found.placements.size(); ++i) {
      simulated[i].push_back(simulator.makespan(found.placements[i].device) *
                             drawn->costs.seconds_per_unit);
    }
  }
  return agreement_of_medians(std::move(simulated), found);
}

Agreement agreement_by_runs(const PlacementProblem& problem, const Calibration& found) {
  std::vector<std::vector<double>> simulated(found.placements.size());  // [placements][runs]
  for (const std::vector<double>& op_seconds : found.run_seconds) {
    const std::vector<double> seconds =
        simulated_seconds(problem, problem.topology, op_seconds, found.placements);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      simulated[i].push_back(seconds[i]);
    }
  }
  return agreement_of_medians(std::move(simulated), found);
}

}  // namespace berth::launcher
