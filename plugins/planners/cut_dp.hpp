// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/plan_score.hpp"
#include "berth/strategy_problem.hpp"

#include "plan_builder.hpp"

namespace berth::planners {

/// One inner problem of a planner: degrees fixed, cuts and recomputation sought.
struct CutTask {
  const StrategyProblem* problem = nullptr;
  std::uint32_t configuration = 0;
  std::uint32_t stages = 1;
  std::uint32_t data = 1;
  std::uint32_t zero = 0;
  Packing packing = Packing::kPipelineInner;
};

/// How a planner sees the time of a stage.
struct CutView {
  PlanRules rules;
  /// Compute hides transfers and ZeRO's collectives entirely: a stage takes the longer of the two.
  bool overlapped = false;
  /// Whether cells keep every trade of slowest against sum, or the least slowest stage alone.
  bool keeps_front = true;
};

/// A choice and the time its planner expects.
struct Estimate {
  PlanChoice choice;
  double seconds = 0.0;
};

/// The cuts and each stage's recomputation with the least sum of loads + (b - 1) slowest load +
/// gradient time of the first stage, among those that fit; nothing if none takes less than `bound`.
/// Levels and groups are those of the first replica. Cost O(layers^2 stages front).
[[nodiscard]] std::optional<Estimate> find_cuts(const CutTask& task,
                                                const CutView& view,
                                                double bound);

/// find_cuts() over all configurations, stage counts with as many replicas as there are devices,
/// ZeRO stages and packings, best bound first; the choices expected to take least time, best first.
[[nodiscard]] std::vector<Estimate> search_degrees(const StrategyProblem& problem,
                                                   const CutView& view,
                                                   std::uint32_t most_zero,
                                                   std::size_t top_k);

/// (configuration, stages) with the least time that compute alone allows.
struct DegreeBound {
  double seconds = 0.0;
  std::uint32_t configuration = 0;
  std::uint32_t stages = 1;
  std::uint32_t data = 1;  ///< As many replicas as devices and micro-batches allow.
};

/// All of a problem, least bound first; ties by configuration, then stages.
[[nodiscard]] std::vector<DegreeBound> degree_bounds(const StrategyProblem& problem);

}  // namespace berth::planners
