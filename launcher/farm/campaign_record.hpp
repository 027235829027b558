// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "berth/placement.hpp"
#include "berth/state.hpp"

#include "measured_record.hpp"

namespace berth::launcher {

/// What a policy that does not learn reached on a problem.
struct RivalResult {
  std::string policy;
  double makespan = std::numeric_limits<double>::infinity();  ///< Time units.
  std::uint64_t simulations = 0;
  Placement placement;  ///< Kept for the incumbents only.
};

/// How far a campaign is with one problem.
struct ProblemRecord {
  Placement best;           ///< Best placement known, of incumbents and rollouts.
  std::string best_source;  ///< Policy that found it.
  double best_makespan = std::numeric_limits<double>::infinity();     ///< Time units.
  double learned_makespan = std::numeric_limits<double>::infinity();  ///< Best of the rollouts.
  std::uint64_t simulations = 0;                                      ///< Spent on rollouts.
  std::vector<RivalResult> incumbents;  ///< What the campaign was given, without placements.
  MeasuredRecord measured;              ///< Of the stage of kind execution.
};

/// Everything the farm itself needs to go on as if nothing had happened; it is the same on every
/// rank.
struct CampaignRecord {
  std::uint64_t update = 0;    ///< Updates done.
  std::uint64_t rollouts = 0;  ///< Done in all.
  std::uint64_t failed = 0;    ///< Rollouts that failed, of these; not those that ran too long.
  std::vector<ProblemRecord> problems;

  // The best checkpoint is the one before which rollouts were best on average.
  double window_ratio_sum = 0.0;  ///< Makespan over lower bound, since the last one on schedule.
  std::uint64_t window_count = 0;
  double best_window_ratio = std::numeric_limits<double>::infinity();
  std::uint64_t best_window_stage = 0;  ///< The stage it is of; later stages start afresh.

  void save(StateWriter& writer) const;
  /// @throws CheckpointError as the reader, or if the number of problems differs.
  void load(const StateReader& reader, std::size_t num_problems);
};

}  // namespace berth::launcher
