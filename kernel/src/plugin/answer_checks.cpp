// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "answer_checks.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

namespace berth::internal {
namespace {

[[noreturn]] void refuse(const std::string& who, const char* operation, const std::string& answer) {
  throw PluginError(who + ": " + operation + " answered " + answer);
}

}  // namespace

void expect_legal(const std::string& who,
                  const char* operation,
                  const PlacementProblem& problem,
                  const Placement& placement) {
  try {
    check_placement(problem, placement);
  } catch (const InputError& error) {
    refuse(who, operation, std::string("an illegal ") + error.what());
  }
}

void expect_assignment(const std::string& who,
                       const char* operation,
                       const PlacementProblem& problem,
                       const Placement& placement) {
  try {
    check_assignment(problem, placement);
  } catch (const InputError& error) {
    refuse(who, operation, std::string("an illegal ") + error.what());
  }
}

void expect_finite(const std::string& who, const char* operation, std::span<const float> values) {
  const auto bad = std::find_if_not(
      values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  if (bad != values.end()) {
    refuse(who,
           operation,
           std::to_string(*bad) + " at position " + std::to_string(bad - values.begin()) + " of " +
               std::to_string(values.size()) + "; expected finite numbers");
  }
}

void expect_finite_advantages(const std::string& who, std::span<const RolloutOutcome> outcomes) {
  const auto bad = std::find_if_not(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
    return std::isfinite(outcome.advantage);
  });
  if (bad != outcomes.end()) {
    refuse(who,
           "assess",
           "advantage " + std::to_string(bad->advantage) + " for rollout " +
               std::to_string(index(bad->spec.id)) + "; expected a finite number");
  }
}

void expect_size(const std::string& who,
                 const char* operation,
                 std::size_t size,
                 std::size_t parameters) {
  if (size != parameters) {
    throw PluginError(who + ": " + operation + ": " + std::to_string(size) + " numbers for " +
                      std::to_string(parameters) +
                      " parameters; a policy keeps one number of parameters for life");
  }
}

}  // namespace berth::internal
