// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "pipeline_search.hpp"

namespace berth::nest {

/// Cuts and recomputation under which the fullest device has the least share of its memory in use,
/// without regard to time. Stages first to last, memory filled in.
struct MemoryFit {
  double share = 0.0;  ///< Above 1 nothing fits.
  std::vector<PlanStage> stages;
};

/// Cost O(stages * layers^2).
[[nodiscard]] MemoryFit fit_memory(const PipelineTask& task, const SearchSettings& settings);

}  // namespace berth::nest
