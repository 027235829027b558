// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include "berth/placement.hpp"
#include "berth/state.hpp"

namespace berth::launcher {

/// What measuring on real devices has come to on one problem.
struct MeasuredRecord {
  Placement incumbent;     ///< What a user would run now; empty before the first such update.
  std::string source;      ///< Policy or rollout that found it.
  double nominal = 0.0;    ///< Time units that it counts as: its simulated makespan when the stage
                           ///< began, times the confirmed ratio of each that replaced one.
  double simulated = 0.0;  ///< Its makespan in the simulator, time units.
  double seconds = 0.0;    ///< Its median run in the last update that ran it; 0 before.
  double first_seconds = 0;         ///< The first incumbent's median in the first such update.
  std::uint64_t measured = 0;       ///< Rollouts that were run.
  std::uint64_t timed_out = 0;      ///< Of these, those given up.
  std::uint64_t out_of_memory = 0;  ///< Rollouts for which the devices had no room.
  std::uint64_t screened = 0;       ///< Rollouts that the bound kept from running.
  std::uint64_t adopted = 0;        ///< Incumbents that were replaced.
  double regret = 0.0;        ///< Sum over measured rollouts of (time - incumbent) / incumbent.
  double worst_regret = 0.0;  ///< The largest term of that sum.

  [[nodiscard]] bool has_incumbent() const noexcept { return !incumbent.device.empty(); }

  void save(StateWriter& writer, const std::string& at) const;
  /// Leaves everything as it is where nothing was saved at `at`. @throws CheckpointError.
  void load(const StateReader& reader, const std::string& at);
};

}  // namespace berth::launcher
