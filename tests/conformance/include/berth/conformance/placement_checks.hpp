// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "berth/conformance/problems.hpp"
#include "berth/error.hpp"
#include "berth/evaluator.hpp"
#include "berth/placement_policy.hpp"
#include "berth/problem.hpp"

namespace berth::conformance {

/// Makes a fresh policy with default options from a seed.
using MakePlacement = std::function<std::unique_ptr<PlacementPolicy>(std::uint64_t seed)>;

/// What a search may spend on one problem of the kit.
inline constexpr SearchBudget kBudget{200, 0.0};

/// What a policy answers: a placement, or nothing where it explained by a SolverError that it
/// finds none, as a policy for one device may where no device can run every op.
inline std::optional<Placement> place(PlacementPolicy& policy, const PlacementProblem& problem) {
  Evaluator evaluator(problem, kBudget);
  Rng rng(7, {1});
  try {
    return policy.place(problem, evaluator, rng);
  } catch (const SolverError& error) {
    EXPECT_STRNE(error.what(), "") << "a SolverError says why";
    return std::nullopt;
  }
}

/// Every problem of the kit gets a legal placement or a reason; the ordinary one a placement.
inline void check_legal(const MakePlacement& make) {
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem->name);
    const std::optional<Placement> placement = place(*make(7), *problem);

    if (placement) {
      EXPECT_NO_THROW(check_placement(*problem, *placement));
    } else {
      EXPECT_NE(problem->name, ordinary_problem()->name) << "every device can run every op";
    }
  }
}

/// The same seed gives the same placement.
inline void check_deterministic(const MakePlacement& make) {
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem->name);

    EXPECT_EQ(place(*make(7), *problem), place(*make(7), *problem));
  }
}

/// One object places several problems, and one problem twice, as fresh objects would.
inline void check_reusable(const MakePlacement& make) {
  const auto policy = make(7);
  for (int round = 0; round < 2; ++round) {
    for (const Problem& problem : problems()) {
      SCOPED_TRACE(problem->name);

      EXPECT_EQ(place(*policy, *problem), place(*make(7), *problem));
    }
  }
}

/// A search ends near the limit of its budget: one sweep over all moves is the most it may add.
inline void check_budget(const MakePlacement& make) {
  const Problem problem = ordinary_problem();
  const std::uint64_t sweep = problem->graph.num_ops() * problem->topology.num_devices();
  Evaluator evaluator(*problem, kBudget);
  Rng rng(7, {1});

  static_cast<void>(make(7)->place(*problem, evaluator, rng));

  EXPECT_LE(evaluator.simulations(), kBudget.simulations + sweep);
}

}  // namespace berth::conformance
