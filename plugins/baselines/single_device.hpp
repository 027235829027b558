// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

namespace berth::baselines {

/// The device that runs the whole graph fastest by itself, lowest first; empty if none can run
/// every op or none has the memory. Cost O(ops * devices).
[[nodiscard]] std::optional<DeviceId> best_single_device(const PlacementProblem& problem);

/// Everything on the best single device, in topological order.
/// @throws SolverError if there is none.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_single_device(const HostServices& host);

}  // namespace berth::baselines
