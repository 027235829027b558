// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/strategy_planner.hpp"

#include "artifact_options.hpp"

namespace berth::nest {

/// Plans as the artifact of NEST does: one search per tensor width, ascending; the smallest time
/// per batch wins, the first on a tie. With update=artifact an infeasible width ends the search, as
/// in the artifact; with update=exact it is passed over.
[[nodiscard]] StrategyAnswer plan_as_artifact(const StrategyProblem& problem,
                                              const ArtifactOptions& options,
                                              std::uint32_t top_k);

}  // namespace berth::nest
