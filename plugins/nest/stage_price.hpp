// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>

#include "berth/parallel_plan.hpp"

#include "pipeline_search.hpp"

namespace berth::nest {

/// Prices stages of one position of a task while its end moves outwards.
class StagePrice {
 public:
  StagePrice(const PipelineTask& task,
             const SearchSettings& settings,
             std::size_t position,
             std::size_t first_layer);

  /// Takes one more layer in.
  void extend();
  [[nodiscard]] std::size_t end() const noexcept { return end_; }

  /// The cheapest recomputation that fits, with time and memory; nothing if none fits.
  [[nodiscard]] std::optional<PlanStage> best() const;

  /// Bytes with one choice of recomputation.
  [[nodiscard]] StageMemory memory(std::size_t recompute) const;
  [[nodiscard]] bool allowed(std::size_t recompute) const;

 private:
  [[nodiscard]] StageTime time(std::size_t recompute) const;
  [[nodiscard]] double dense() const;

  const PipelineTask& task_;
  const SearchSettings& settings_;
  const Position& where_;
  const StrategyConfiguration& configuration_;
  std::size_t position_;
  std::size_t begin_;
  std::size_t end_;
  double in_flight_;
  std::array<double, kRecomputeChoices> work_{};
  double largest_parameters_ = 0.0;
};

}  // namespace berth::nest
