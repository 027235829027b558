// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/strategy_problem.hpp"

#include "cut_dp.hpp"
#include "plan_builder.hpp"

namespace berth::planners {

/// Prices of all stages of groups on all meshes for one micro-batch size and ZeRO stage, and the
/// dynamic program over them; see alpa_planner.hpp.
class AlpaStages {
 public:
  /// @param memory share of every device's memory that stages may fill.
  AlpaStages(const StrategyProblem& problem,
             const std::vector<std::uint32_t>& configurations,
             std::uint32_t most_groups,
             std::uint32_t zero,
             double memory);

  /// The choice expected to take least time, if less than `bound` seconds.
  [[nodiscard]] std::optional<Estimate> search(double bound, double step) const;

 private:
  struct Option {
    double seconds = 0.0;  // per micro-batch
    std::uint32_t configuration = 0;
    std::uint32_t replicas = 0;
    Recompute recompute = Recompute::kNone;
  };

  void cluster(std::uint32_t most_groups);
  [[nodiscard]] Option price(std::size_t i, std::size_t j, std::size_t mesh, std::size_t s) const;
  void price_with(std::uint32_t configuration,
                  std::size_t i,
                  std::size_t j,
                  std::size_t mesh,
                  std::size_t s,
                  Option& best) const;
  [[nodiscard]] const Option& at(std::size_t i,
                                 std::size_t j,
                                 std::size_t mesh,
                                 std::size_t s) const {
    return options_[((i * (groups() + 1) + j) * meshes_.size() + mesh) * (groups() + 1) + s];
  }
  [[nodiscard]] std::optional<Estimate> within(double most) const;
  [[nodiscard]] std::size_t groups() const { return starts_.size() - 1; }

  const StrategyProblem& problem_;
  const std::vector<std::uint32_t>& configurations_;
  std::uint32_t zero_;
  double memory_bytes_;
  double waves_;
  NetworkLevels flat_;
  std::size_t unit_;                   // devices
  std::vector<std::uint32_t> starts_;  // [groups + 1]: first layer
  std::vector<std::size_t> meshes_;    // units
  std::vector<Option> options_;        // [first group][end group][mesh][position]
};

}  // namespace berth::planners
