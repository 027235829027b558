// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/placement_policy.hpp"

#include "settle.hpp"

namespace berth::baselines {

/// The policy of a list scheduler: builds one schedule, settles it and returns it.
template <auto Schedule>
class ConstructivePolicy final : public PlacementPolicy {
 public:
  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& /*rng*/) override {
    return settle(evaluator, or_packed(problem, [&] { return Schedule(problem).placement(); }));
  }
};

}  // namespace berth::baselines
