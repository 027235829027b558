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
};

/// The cuts with the least time per batch below `bound` seconds that fit in memory; nothing if
/// there are none. T = sum of loads + (b - 1) * slowest load + exposed gradient time (spec 4.2): a
/// true minimum over cuts and recomputation for this task. A cell (position, first layer) of the
/// table holds the Pareto front of (slowest, sum, exposed gradient time).
[[nodiscard]] std::optional<ParallelPlan> search_pipeline(const PipelineTask& task,
                                                          const SearchSettings& settings,
                                                          double bound);

/// Bytes of the fullest device under the cuts that need least, without regard to time.
[[nodiscard]] double least_memory(const PipelineTask& task, const SearchSettings& settings);

}  // namespace berth::nest
