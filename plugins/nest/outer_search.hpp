// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/strategy_planner.hpp"

#include "search_settings.hpp"

namespace berth::nest {

/// Mode `default`: searches every configuration of the problem with every number of stages, degree
/// of data parallelism, ZeRO stage and packing that the pins leave open, best bound first, and
/// leaves out only what provably cannot be among the best `top_k`.
///
/// Exact for pipelines whose stages all take one block: the best plan has the least value of the
/// objective over all of them. Without ZeRO only the smallest degree of data parallelism is tried
/// of those that give a replica the same number of micro-batches.
/// Work items are configurations; only those of `share` are searched.
/// @throws InputError if the model is no plain chain, or objective=cost and no price is known.
[[nodiscard]] StrategyAnswer plan_default(const StrategyProblem& problem,
                                          const SearchSettings& settings,
                                          std::uint32_t top_k,
                                          const WorkShare& share = {});

[[nodiscard]] std::size_t default_work_items(const StrategyProblem& problem);

/// Why nothing fits: one line per device class, then the smallest change that would.
[[nodiscard]] std::vector<std::string> explain_infeasible(const StrategyProblem& problem,
                                                          const SearchSettings& settings);

}  // namespace berth::nest
