// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

/// ETF (Hwang, Chow, Anger and Lee 1989): of all ready ops and devices the pair that can start
/// first; ties to the largest upward rank, then the lowest op, then the lowest device. No gaps are
/// filled.
/// @throws SolverError if the devices' memory runs out.
/// Cost O(ops * width * devices).
[[nodiscard]] PartialSchedule etf_schedule(const PlacementProblem& problem);

[[nodiscard]] std::unique_ptr<PlacementPolicy> make_etf(const HostServices& host);

}  // namespace berth::baselines
