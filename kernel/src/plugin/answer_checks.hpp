// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "berth/placement.hpp"
#include "berth/problem.hpp"
#include "berth/trainable_policy.hpp"

namespace berth::internal {

// Each throws PluginError "<who>: <operation> answered ..." unless the answer is as named.

/// check_placement() holds.
void expect_legal(const std::string& who,
                  const char* operation,
                  const PlacementProblem& problem,
                  const Placement& placement);

/// check_assignment() holds: a rollout may overflow a device's memory, which costs it its reward.
void expect_assignment(const std::string& who,
                       const char* operation,
                       const PlacementProblem& problem,
                       const Placement& placement);

void expect_finite(const std::string& who, const char* operation, std::span<const float> values);

void expect_finite_advantages(const std::string& who, std::span<const RolloutOutcome> outcomes);

/// `size` numbers go with `parameters` parameters.
void expect_size(const std::string& who,
                 const char* operation,
                 std::size_t size,
                 std::size_t parameters);

}  // namespace berth::internal
