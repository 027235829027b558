// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

namespace berth::baselines {

inline constexpr berth_option_spec kExhaustiveOptions[] = {
    {"seconds",
     BERTH_OPTION_REAL,
     "60",
     0,
     1e9,
     "seconds",
     "",
     "Stop after this long without a proof; 0 means only the run's budget stops it."},
};

/// Branch and bound to a proved optimum where time allows. The evaluator's lower bound is raised
/// to what was proved; otherwise the best found is returned and a warning logged. What is proved
/// is optimal over
/// - devices and orders in the `delay` model under `auto` and `static-order`;
/// - devices under `fifo`, in any model without noise.
/// Elsewhere the devices are searched and nothing is proved beyond the problem's lower bound.
/// Each node of the search counts as a simulation.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_exhaustive(const HostServices& host);

}  // namespace berth::baselines
