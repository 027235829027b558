// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/strategy_planner.hpp"

#include "search_settings.hpp"

namespace berth::nest {

/// Mode `default`: searches every configuration of the problem with every number of stages, degree
/// of data parallelism, ZeRO stage, packing and order of device classes that the pins leave open,
/// best bound first, and leaves out only what provably cannot be among the best `top_k`.
/// - Stages of one configuration and number of replicas: exact, the least value of the objective
///   over all of them.
/// - Interleaved: interleavings() and search_interleaved() say what is tried; exact for chains of
/// up
///   to kShortChain layers whose cuts are few.
/// - Stages of unequal tensor width or replicas (objective time alone): search_mixed(), exact up to
///   kMostUnits devices, in coarser units above; above kMostMixedDevices only if pinned
///   (mixed=true).
///
/// Work items are the configurations, then the groups of them that stages may mix; only those of
/// `share` are searched.
/// @throws InputError if the model is no plain chain, or objective=cost and no price is known.
[[nodiscard]] StrategyAnswer plan_default(const StrategyProblem& problem,
                                          const SearchSettings& settings,
                                          std::uint32_t top_k,
                                          const WorkShare& share = {});

/// Configurations and groups of configurations.
[[nodiscard]] std::size_t default_work_items(const StrategyProblem& problem);

/// Why nothing fits: one line per device class, then the smallest change that would.
[[nodiscard]] std::vector<std::string> explain_infeasible(const StrategyProblem& problem,
                                                          const SearchSettings& settings);

}  // namespace berth::nest
