// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

/// MCT (Maheswaran et al. 1999), which StarPU calls dmda: ops in the order in which their inputs
/// can first be on some device, each to the device where it finishes first behind what is there
/// already; ties to the device that falls idle first, then the lowest. That order is nearly the one
/// in which a system that serves ready ops first in, first out will run them, so that what is
/// planned comes about.
/// @throws SolverError if the devices' memory runs out.
/// Cost O(ops * log width + edges * devices).
[[nodiscard]] PartialSchedule mct_schedule(const PlacementProblem& problem);

[[nodiscard]] std::unique_ptr<PlacementPolicy> make_mct(const HostServices& host);

}  // namespace berth::baselines
