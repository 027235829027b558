// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "berth/device_executor.hpp"

namespace berth::launcher {

/// Runs placements one after the other, each with all its repeats.
[[nodiscard]] std::vector<Measurement> measure_one_by_one(std::span<const Placement> placements,
                                                          DeviceExecutor& executor,
                                                          const MeasureSpec& spec);

/// Runs them in rounds, one run of each after `warm_up` others, forth and back, so that what the
/// host does meanwhile falls on all. One that fails is not run again. Run i of each placement is of
/// round i.
[[nodiscard]] std::vector<Measurement> measure_in_turn(std::span<const Placement> placements,
                                                       DeviceExecutor& executor,
                                                       const MeasureSpec& spec);

/// Median over rounds of one placement's run over another's in the same round; 0 without rounds.
[[nodiscard]] double paired_ratio(std::span<const double> seconds, std::span<const double> others);

}  // namespace berth::launcher
