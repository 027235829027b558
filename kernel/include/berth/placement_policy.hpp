// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "berth/evaluator.hpp"
#include "berth/export.hpp"
#include "berth/placement.hpp"
#include "berth/problem.hpp"
#include "berth/rng.hpp"

namespace berth {
inline namespace abi_v1 {

/// An algorithm that places the ops of a graph on devices: `berth.placement/1`.
class BERTH_API PlacementPolicy {
 public:
  static constexpr std::string_view kInterface = "berth.placement/1";

  PlacementPolicy() = default;
  PlacementPolicy(const PlacementPolicy&) = delete;
  PlacementPolicy& operator=(const PlacementPolicy&) = delete;
  virtual ~PlacementPolicy();

  /// A legal placement of `problem` (= evaluator.problem()). Deterministic for a given `rng`
  /// unless the budget is in seconds. Search policies score candidates with `evaluator` and stop
  /// when it is exhausted, starting from evaluator.best() where there is one (that is how a
  /// placement is refined); constructive ones need not touch it.
  /// @throws SolverError if the policy finds no legal placement, with the reason.
  [[nodiscard]] virtual Placement place(const PlacementProblem& problem,
                                        Evaluator& evaluator,
                                        Rng& rng) = 0;
};

}  // namespace abi_v1
}  // namespace berth
