// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

namespace berth::baselines {

inline constexpr berth_option_spec kRoundRobinOptions[] = {
    {"order",
     BERTH_OPTION_CHOICE,
     "id",
     0,
     0,
     "",
     "id,kahn",
     "Deal the ops out by id or in Kahn's topological order."},
};

/// Op number i goes to device i modulo the devices; where that device cannot run the op or is
/// full, to the next that can.
/// @throws SolverError if the devices' memory runs out. Cost O(ops).
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_round_robin(const HostServices& host);

}  // namespace berth::baselines
