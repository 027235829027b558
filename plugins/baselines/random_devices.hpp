// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

namespace berth::baselines {

/// Each op on a uniformly random device that can run it and has memory left, in topological order.
/// @throws SolverError if the devices' memory runs out. Cost O(ops * devices).
[[nodiscard]] std::vector<DeviceId> random_devices(const PlacementProblem& problem, Rng& rng);

[[nodiscard]] std::unique_ptr<PlacementPolicy> make_random(const HostServices& host);

}  // namespace berth::baselines
