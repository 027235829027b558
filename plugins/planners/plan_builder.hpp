// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/parallel_plan.hpp"
#include "berth/plan_score.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::planners {

/// What a planner decides about one stage.
struct StageChoice {
  std::uint32_t num_layers = 0;
  std::uint32_t configuration = 0;
  std::uint32_t replicas = 1;
  Recompute recompute = Recompute::kNone;
};

/// What a planner decides; devices follow.
struct PlanChoice {
  std::vector<StageChoice> stages;  ///< First to last.
  std::uint32_t zero = 0;
  Packing packing = Packing::kPipelineInner;
};

/// Devices a choice takes.
[[nodiscard]] std::size_t devices_of(const StrategyProblem& problem, const PlanChoice& choice);

/// The plan of a choice, without times. Stages alike in configuration and replicas are packed as
/// `packing` says, the last stage on the first devices. Others take whole runs of devices, the
/// stage with most devices first, so that meshes of powers of two stay aligned to the network.
/// @pre the choice takes at most the devices there are, and covers the layers
[[nodiscard]] ParallelPlan build_plan(const StrategyProblem& problem, const PlanChoice& choice);

/// The best plans seen so far, by the kernel's score: planners propose, one evaluator judges.
class PlanBook {
 public:
  PlanBook(const StrategyProblem& problem, const PlanRules& rules, std::uint32_t top_k)
      : problem_(problem), rules_(rules), top_k_(top_k == 0 ? 1 : top_k) {}

  /// Scores a choice and enters it if it fits and is among the best. Takes too many devices: does
  /// not fit, without a score. @return the score.
  PlanScore enter(const PlanChoice& choice);

  [[nodiscard]] bool empty() const noexcept { return best_.empty(); }
  [[nodiscard]] double best_seconds() const;
  /// Time of the worst plan kept once the book is full, infinity before.
  [[nodiscard]] double worst_seconds() const;
  [[nodiscard]] std::uint64_t scored() const noexcept { return scored_; }

  /// The plans, or why there is none: the choice that came nearest to fitting.
  [[nodiscard]] StrategyAnswer answer(const std::string& planner) &&;

 private:
  const StrategyProblem& problem_;
  PlanRules rules_;
  std::size_t top_k_;
  std::vector<ParallelPlan> best_;
  std::uint64_t scored_ = 0;
  double least_share_ = 0.0;  // fullest device of the choice nearest to fitting; 0: none scored
  std::string nearest_;       // what it is
};

}  // namespace berth::planners
