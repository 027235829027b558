// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/rng.hpp"

#include "plan_builder.hpp"

namespace berth::planners {

/// A plan drawn at random: a configuration, a number of stages and of replicas that the devices
/// allow, ZeRO, packing, one recomputation for all stages, and cuts anywhere.
[[nodiscard]] PlanChoice random_choice(const StrategyProblem& problem, Rng& rng);

/// As many replicas of `stages` stages as devices and micro-batches allow; 0 if there is no room.
[[nodiscard]] std::uint32_t most_replicas(const StrategyProblem& problem,
                                          std::uint32_t configuration,
                                          std::size_t stages);

}  // namespace berth::planners
