// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

inline constexpr berth_option_spec kHeftOptions[] = {
    {"ties",
     BERTH_OPTION_CHOICE,
     "best",
     0,
     0,
     "",
     "best,kahn",
     "Where ranks tie, keep the best of five tie rules, or take Kahn's order and the lowest device "
     "alone."},
    {"single_device",
     BERTH_OPTION_FLAG,
     "true",
     0,
     0,
     "",
     "",
     "Answer with the best single device where that is faster."},
};

/// What HEFT leaves open.
struct HeftRules {
  /// Which of several ops of equal rank goes first; what still ties goes by topological position.
  enum class RankTies : std::uint8_t {
    kTopological,
    kLongestFirst,
    kShortestFirst,
    kMostSuccessors,
    kHeaviestSuccessors,  ///< By the sum of the successors' ranks.
  };
  /// Which of several identical devices with the same finish takes an op.
  enum class DeviceTies : std::uint8_t { kLowest, kLeastIdle };
  RankTies rank_ties = RankTies::kTopological;
  DeviceTies device_ties = DeviceTies::kLowest;
};

/// HEFT (Topcuoglu, Hariri and Wu 2002): ops by descending upward rank, each on the device where
/// it finishes first, gaps included.
/// @throws SolverError if the devices' memory runs out.
/// Cost O(edges * devices) plus the gap searches.
[[nodiscard]] PartialSchedule heft_schedule(const PlacementProblem& problem,
                                            const HeftRules& rules = {});

/// Simulates the placements that the policy with default options chooses from; the evaluator keeps
/// the best.
void offer_heft(Evaluator& evaluator);

[[nodiscard]] std::unique_ptr<PlacementPolicy> make_heft(const HostServices& host);

}  // namespace berth::baselines
