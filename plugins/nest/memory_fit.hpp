// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <vector>

#include "pipeline_search.hpp"

namespace berth::nest {

/// Cuts and recomputation under which the fullest device has the least share of its memory in use,
/// without regard to time. Stages first to last, memory filled in.
struct MemoryFit {
  double share = 0.0;  ///< Above 1 nothing fits.
  std::vector<PlanStage> stages;
};

/// Only shares under `below` are looked for; with none the share is infinite. Cost O(stages *
/// layers^2) at most.
[[nodiscard]] MemoryFit fit_memory(const PipelineTask& task,
                                   const SearchSettings& settings,
                                   double below = INFINITY);

/// Whether weights, gradients and optimizer states, each kept once, are no more than the memory of
/// all devices; false: no plan of any kind fits.
[[nodiscard]] bool states_fit(const StrategyProblem& problem);

/// Whether any cut into `stages` of a configuration fits under any ZeRO stage with `data` replicas
/// on devices of one class; false also rules out every smaller number of replicas, which shard less
/// and keep no fewer micro-batches.
[[nodiscard]] bool fits_one_class(const PipelineTask& task, const SearchSettings& settings);

}  // namespace berth::nest
