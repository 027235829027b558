// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/cluster_scheduler.hpp"

namespace berth::schedulers {

/// A job that was chosen to run on one accelerator type.
struct PureGang {
  std::size_t row = 0;  ///< In context.jobs.
  std::size_t type = 0;
};

/// Whose accelerators a job may take up again.
enum class Stickiness : std::uint8_t { kPreviousRound, kEver, kNever };

/// Finds accelerators for gangs that were chosen by number, largest gangs first: gangs whose own
/// accelerators are free keep them, then the others take whole machines or, where there is none,
/// split. A gang that has no throughput when split waits.
/// @param gangs Together within the capacity of each type.
[[nodiscard]] RoundSchedule place_pure_gangs(const RoundContext& context,
                                             std::vector<PureGang> gangs,
                                             Stickiness stickiness);

}  // namespace berth::schedulers
