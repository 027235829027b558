// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/parallel_plan.hpp"

#include "chain_sums.hpp"
#include "pipeline_layout.hpp"
#include "search_settings.hpp"
#include "stage_price.hpp"

namespace berth::nest {

/// One inner problem: everything fixed but the cuts and each stage's recomputation.
struct PipelineTask {
  const StrategyProblem* problem = nullptr;
  std::uint32_t configuration = 0;
  std::uint32_t zero = 0;
  PipelineLayout layout;
  const std::vector<Position>* positions = nullptr;
  const ChainSums* sums = nullptr;
  CollectiveCost tied;  ///< Between first and last stage; unused without tied parameters.

  [[nodiscard]] const StrategyConfiguration& shape() const {
    return problem->configurations[configuration];
  }
  /// Micro-batches of the busiest replica.
  [[nodiscard]] std::size_t waves() const {
    return (shape().micro_batches + layout.data - 1) / layout.data;
  }
  [[nodiscard]] StageSite site(std::size_t position) const;
  /// Seconds per batch of the gradient of a tied matrix, as far as visible.
  [[nodiscard]] double tied_seconds(const SearchSettings& settings) const;
};

/// The cuts with the least time per batch below `bound` seconds that fit in memory; nothing if
/// there are none. T = sum of loads + (b - 1) * slowest load + exposed gradient time: a
/// true minimum over cuts and recomputation for this task. A cell (position, first layer) of the
/// table holds the Pareto front of (slowest, sum, exposed gradient time).
[[nodiscard]] std::optional<ParallelPlan> search_pipeline(const PipelineTask& task,
                                                          const SearchSettings& settings,
                                                          double bound);

}  // namespace berth::nest
