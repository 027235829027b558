// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/rng.hpp"
#include "berth/trainable_policy.hpp"

#include "chooser.hpp"
#include "prepared_problem.hpp"
#include "settings.hpp"

namespace berth::doppler {

/// How one episode chooses its actions.
struct ActSpec {
  using Mode = ActMode;
  Mode mode = Mode::kSample;
  double explore = 1.0;  ///< Temperature (kSample) or probability of a uniform action (kEpsGreedy)
  double sel_explore = 1.0;  ///< The same for SEL.
  /// Ops by when they are ready, whatever SEL would pick.
  bool by_arrival = false;
  /// A placement to keep where `free` is 0 and room is left; empty: all devices are the policy's
  /// choice.
  std::span<const DeviceId> keep;
  std::span<const std::uint8_t> free;  ///< [ops] or empty: all 0
};

/// Plays one episode: n steps of SEL and PLC (section 2 of the paper) on the tables of `prepared`.
/// The decisions, their devices and, where an order counts, the order of the picks; nothing is
/// allocated per step.
/// @throws SolverError as DeviceTimeline::expect_room(), at the first op that fits nowhere any
/// more. Cost O(steps * (candidates + devices * head * hidden)); with one policy over pairs O(steps
/// * candidates * devices * head * hidden).
[[nodiscard]] Rollout play_episode(const PreparedProblem& prepared,
                                   const Settings& settings,
                                   const ActSpec& spec,
                                   Rng& rng);

}  // namespace berth::doppler
