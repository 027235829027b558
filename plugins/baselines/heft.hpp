// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

/// HEFT (Topcuoglu, Hariri and Wu 2002): ops by descending upward rank, each on the device where
/// it finishes first, gaps included; ties to the lowest device.
/// @throws SolverError if the devices' memory runs out.
/// Cost O(edges * devices) plus the gap searches.
[[nodiscard]] PartialSchedule heft_schedule(const PlacementProblem& problem);

[[nodiscard]] std::unique_ptr<PlacementPolicy> make_heft(const HostServices& host);

}  // namespace berth::baselines
