// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

/// PEFT (Arabnejad and Barbosa 2014): the ready op with the largest mean optimistic cost, on the
/// device with the least finish plus optimistic cost, gaps included; ties to the op that is
/// earlier in topological order, then to the lowest device.
/// @throws SolverError if the devices' memory runs out.
/// Cost O(edges * devices^2 + ops * width).
[[nodiscard]] PartialSchedule peft_schedule(const PlacementProblem& problem);

[[nodiscard]] std::unique_ptr<PlacementPolicy> make_peft(const HostServices& host);

}  // namespace berth::baselines
