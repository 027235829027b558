// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "berth/device_executor.hpp"
#include "berth/trace.hpp"

#include "calibration.hpp"

namespace berth::launcher {

/// A placement and its runs.
struct TimedPlacement {
  Placement placement;
  std::vector<double> seconds;  ///< [rounds it ran in]
  std::vector<Trace> traces;    ///< [rounds it ran in] of what is not compared.
  bool failed = false;          ///< It then did not run again.
};

/// What all rounds measured.
struct CalibrationRounds {
  std::vector<TimedPlacement> alone;     ///< All ops on one device, for each that runs all.
  std::vector<TimedPlacement> fitted;    ///< [fitted] in one round each.
  std::vector<TimedPlacement> compared;  ///< [compared] in every round.
  std::string reason;                    ///< Of the last that failed.
};

/// Runs `spec.measure.repeats` rounds. In each: every compared placement, all ops on one device for
/// each device, and a share of the fitted placements, each kind spread over the round; forth and
/// back. What the host does meanwhile then falls on what is fitted as on what is compared, and is
/// not taken for a property of a placement.
[[nodiscard]] CalibrationRounds run_rounds(const PlacementProblem& problem,
                                           DeviceExecutor& executor,
                                           const CalibrationSpec& spec);

}  // namespace berth::launcher
