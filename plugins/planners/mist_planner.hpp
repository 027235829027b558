// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::planners {

/// Like Mist (Zhu et al., "Mist: efficient distributed training of large language models via
/// memory-parallelism co-optimization", EuroSys 2025), as far as the abstract tells: recomputation
/// per stage, ZeRO and degrees chosen together with uneven cuts, under the belief that
/// communication overlaps with compute, so that a stage takes the longer of the two. The plan is
/// then scored with the overlap that was asked for. Differs: one ZeRO stage for all pipeline
/// stages, no offloading, exact dynamic programming in place of its mixed-integer program.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_mist(const HostServices& host);

}  // namespace berth::planners
