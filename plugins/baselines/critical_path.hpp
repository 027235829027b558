// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

inline constexpr berth_option_spec kCriticalPathOptions[] = {
    {"runs",
     BERTH_OPTION_INTEGER,
     "50",
     1,
     1e9,
     "runs",
     "",
     "Schedules built with random ties, of which the best is kept; lowest ties need one."},
    {"ties",
     BERTH_OPTION_CHOICE,
     "random",
     0,
     0,
     "",
     "random,lowest",
     "Among equal ops and equal devices take a random one or the lowest id."},
    {"timeline",
     BERTH_OPTION_CHOICE,
     "est",
     0,
     0,
     "",
     "est,load",
     "Start an op at its earliest start, or at the load of its device as the public code does."},
    {"node_rule",
     BERTH_OPTION_CHOICE,
     "b-level",
     0,
     0,
     "",
     "b-level,oldest",
     "Take the ready op with the largest b-level, or the oldest as the public code does."},
};

/// How the CRITICAL PATH heuristic of DOPPLER builds one schedule.
struct CriticalPathRules {
  enum class Ties : std::uint8_t { kRandom, kLowest };
  enum class Timeline : std::uint8_t { kEarliestStart, kLoad };
  enum class NodeRule : std::uint8_t { kBottomLevel, kOldest };
  Ties ties = Ties::kRandom;
  Timeline timeline = Timeline::kEarliestStart;
  NodeRule node_rule = NodeRule::kBottomLevel;
};

/// List scheduling as DOPPLER (arXiv 2505.23131) means it: among the ready ops the one with the
/// largest b-level, transfers included, on the device where it can start first; no gaps filled.
/// kOldest takes, of the ready ops in order of readiness, number r, r random below the count of
/// ops with the largest b-level: what the public code does.
/// @throws SolverError if the devices' memory runs out. Cost O(ops * width + edges * devices).
[[nodiscard]] PartialSchedule critical_path_schedule(const PlacementProblem& problem,
                                                     const CriticalPathRules& rules,
                                                     Rng& rng);

/// The best of `runs` such schedules, each simulated; fewer when the evaluator is exhausted.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_critical_path(const HostServices& host);

}  // namespace berth::baselines
