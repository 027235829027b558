// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/training_job.hpp"

namespace berth::conformance {

/// Makes a job with its default options and this seed.
using MakeTrainingJob = std::function<std::unique_ptr<TrainingJob>(std::uint64_t seed)>;

namespace detail {

inline std::vector<float> state_of(const TrainingJob& job) {
  std::vector<float> state(count_values(job.tensors()));
  job.get_state(state);
  return state;
}

/// A job that needs a file cannot be made with its defaults: its own tests are to give it one.
inline std::unique_ptr<TrainingJob> made(const MakeTrainingJob& make, std::uint64_t seed) {
  try {
    return make(seed);
  } catch (const InputError&) {
    return nullptr;
  }
}

}  // namespace detail

/// Steps ordered are steps made, and the state that comes of them depends on the seed alone.
inline void check_training(const MakeTrainingJob& make) {
  const auto one = detail::made(make, 1);
  const auto two = detail::made(make, 1);
  if (one == nullptr) {
    GTEST_SKIP() << "needs an option that names its data";
  }
  const std::vector<float> before = detail::state_of(*one);

  const TrainingOutcome outcome = one->train({3, 4, 0.0});
  static_cast<void>(two->train({3, 4, 0.0}));

  EXPECT_EQ(outcome.steps, 4U);
  EXPECT_TRUE(std::isfinite(outcome.mean_loss));
  EXPECT_EQ(one->counters().schedule_steps, 4U);
  EXPECT_NE(detail::state_of(*one), before);
  EXPECT_EQ(detail::state_of(*one), detail::state_of(*two));
  EXPECT_EQ(one->train({7, 0, 0.0}).steps, 0U);
}

/// A state and its counters are all that a copy elsewhere needs to go on.
inline void check_training_state(const MakeTrainingJob& make) {
  const auto whole = detail::made(make, 1);
  const auto first = detail::made(make, 1);
  const auto second = detail::made(make, 1);
  if (whole == nullptr) {
    GTEST_SKIP() << "needs an option that names its data";
  }
  static_cast<void>(whole->train({0, 5, 0.0}));
  static_cast<void>(first->train({0, 2, 0.0}));
  second->set_state(detail::state_of(*first));
  second->set_counters(first->counters());
  static_cast<void>(second->train({2, 3, 0.0}));

  EXPECT_EQ(detail::state_of(*second), detail::state_of(*whole));
  EXPECT_EQ(second->counters(), whole->counters());
}

/// Scores change nothing and repeat.
inline void check_scores(const MakeTrainingJob& make) {
  const auto job = detail::made(make, 1);
  if (job == nullptr) {
    GTEST_SKIP() << "needs an option that names its data";
  }
  const std::vector<float> before = detail::state_of(*job);
  for (const HeldOut part : {HeldOut::kValidation, HeldOut::kTest}) {
    const TrainingScore score = job->evaluate(part);
    EXPECT_TRUE(std::isfinite(score.value) && std::isfinite(score.loss));
    EXPECT_FALSE(score.metric.empty());
    EXPECT_EQ(job->evaluate(part).value, score.value);
  }
  EXPECT_EQ(detail::state_of(*job), before);
}

}  // namespace berth::conformance
