// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

#include "planner_options.hpp"

namespace berth::planners {

inline constexpr berth_option_spec kAlpaOptions[] = {
    {"groups",
     BERTH_OPTION_INTEGER,
     "16",
     1,
     256,
     "",
     "",
     "Layers are first clustered into at most this many groups of equal compute."},
    kOverlapTransfer,
    kOverlapGradient,
};

/// Like Alpa (Zheng et al., OSDI 2022): two levels. Within a stage, on a mesh of a power of two of
/// devices, the degrees that are fastest and fit; between stages a dynamic program over (groups,
/// devices) for every bound on the slowest stage, ascending by 2 %, minimising sum + (B - 1) max.
/// The mesh is flat: no transfer between stages counts, gradients cross the narrowest link.
/// Differs: the degrees are those of the problem's configurations, not a sharding program per
/// operator; meshes are counted in units of 1/64 of the cluster; devices may be left over.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_alpa(const HostServices& host);

}  // namespace berth::planners
