// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/collectives.hpp"
#include "berth/parallel_plan.hpp"

#include "chain_sums.hpp"
#include "pipeline_layout.hpp"
#include "search_settings.hpp"

namespace berth::nest {

/// A pipeline whose stages choose their tensor width and number of replicas each. All
/// configurations share micro-batch, context and expert degree.
struct MixedTask {
  const StrategyProblem* problem = nullptr;
  const Collectives* collectives = nullptr;
  std::vector<std::uint32_t> configurations;
  std::vector<const ChainSums*> sums;  ///< Of each of them.
  std::uint32_t zero = 0;
  const DeviceOrder* order = nullptr;
};

/// A plan with the pipeline part of its time in closed form, and as played out.
struct MixedPlan {
  ParallelPlan plan;
  double played_seconds = 0.0;
};

/// The plan of stages that are not all alike with the least time per batch in closed form,
///   T = sum of loads + max over stages of (ceil(B / d) - 1) * load + exposed gradient time,
/// below `bound` seconds; nothing if there is none. Stages follow each other over the order of
/// devices, the replicas of a stage side by side (data-inner). Dynamic program over (first layer of
/// the suffix, devices used, choice of its first stage) with Pareto fronts.
///
/// Up to kFullLayers layers and kFullDevices devices no label is dropped but by the bound, every
/// plan is played out, and the least of max(T, played out) is found. The closed form is exact up to
/// kMostUnits devices and kMostLabels labels a cell. Larger clusters are cut into at most
/// kMostUnits units, and stages take whole units; chains of more than kMostCutPlaces layers are cut
/// every few layers.
[[nodiscard]] std::optional<MixedPlan> search_mixed(const MixedTask& task,
                                                    const SearchSettings& settings,
                                                    double bound);

/// No plan of stages of any degrees is faster.
[[nodiscard]] double mixed_bound(const MixedTask& task);

inline constexpr std::size_t kFullLayers = 8;
inline constexpr std::size_t kFullDevices = 8;
inline constexpr std::size_t kMostUnits = 16;
inline constexpr std::size_t kMostCutPlaces = 160;
inline constexpr std::size_t kMostMixedDevices = 64;  ///< Searched without being asked for.
inline constexpr std::size_t kMostLabels = 512;
inline constexpr std::size_t kFewLabels = 16;  ///< On larger clusters.

}  // namespace berth::nest
