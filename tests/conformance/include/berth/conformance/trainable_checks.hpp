// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "berth/conformance/memory_state.hpp"
#include "berth/conformance/problems.hpp"
#include "berth/error.hpp"
#include "berth/evaluator.hpp"
#include "berth/trainable_policy.hpp"

namespace berth::conformance {

/// Makes a fresh policy with default options from a seed.
using MakeTrainable = std::function<std::unique_ptr<TrainablePolicy>(std::uint64_t seed)>;
using Weights = std::vector<float>;

inline Weights weights_of(const TrainablePolicy& policy) {
  return {policy.parameters().begin(), policy.parameters().end()};
}

inline RolloutSpec rollout_spec(std::uint64_t id, Stage stage) {
  return {RolloutId{id}, mix64(id), 0, stage, 0.5};
}

inline bool same(const Rollout& a, const Rollout& b) {
  return a.placement == b.placement && a.decisions == b.decisions;
}

/// The rollouts of one update and what came of them, as the farm would have them.
struct Batch {
  std::vector<Rollout> rollouts;
  std::vector<ScoredRollout> scored;
};

/// `count` rollouts of a problem, simulated and assessed.
inline Batch run_batch(TrainablePolicy& policy,
                       const PlacementProblem& problem,
                       Stage stage,
                       std::size_t count = 4) {
  Batch batch;
  Evaluator evaluator(problem);
  std::vector<RolloutOutcome> outcomes;
  for (std::size_t id = 0; id < count; ++id) {
    const RolloutSpec spec = rollout_spec(id, stage);
    batch.rollouts.push_back(stage == Stage::kImitation ? policy.demonstrate(problem, spec)
                                                        : policy.rollout(problem, spec));
    outcomes.push_back({spec, RolloutStatus::kOk, evaluator(batch.rollouts.back().placement), 0.0});
  }
  policy.assess(outcomes);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(std::isfinite(outcomes[i].advantage)) << "advantage of rollout " << i;
    batch.scored.push_back({&batch.rollouts[i], outcomes[i]});
  }
  return batch;
}

inline Weights gradient_of(const TrainablePolicy& policy,
                           const PlacementProblem& problem,
                           std::span<const ScoredRollout> group) {
  Weights gradient(policy.parameters().size(), 0.0F);
  policy.gradient(problem, group, gradient);
  return gradient;
}

/// One update on a problem, as the farm does it.
inline void update(TrainablePolicy& policy, const PlacementProblem& problem, std::uint64_t number) {
  const Batch batch = run_batch(policy, problem, Stage::kSimulation);
  policy.step(gradient_of(policy, problem, batch.scored),
              {number, Stage::kSimulation, 0.5, batch.scored.size()});
}

/// Rollouts and demonstrations of every problem are legal, repeatable, and leave the weights.
inline void check_rollouts(const MakeTrainable& make) {
  const auto policy = make(7);
  const Weights before = weights_of(*policy);
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem->name);
    const RolloutSpec spec = rollout_spec(3, Stage::kSimulation);
    const RolloutSpec taught = rollout_spec(3, Stage::kImitation);

    const Rollout rollout = policy->rollout(*problem, spec);
    const Rollout demonstration = policy->demonstrate(*problem, taught);

    EXPECT_NO_THROW(check_assignment(*problem, rollout.placement));
    EXPECT_NO_THROW(check_assignment(*problem, demonstration.placement));
    EXPECT_TRUE(same(rollout, policy->rollout(*problem, spec)));
    EXPECT_TRUE(same(demonstration, policy->demonstrate(*problem, taught)));
    EXPECT_TRUE(same(rollout, make(7)->rollout(*problem, spec))) << "a fresh object differs";
  }
  EXPECT_EQ(weights_of(*policy), before);
}

/// Rollouts of several threads at once equal those of one.
inline void check_threads(const MakeTrainable& make) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 4;
  const auto policy = make(7);
  const Problem problem = ordinary_problem();
  std::vector<Rollout> parallel(kThreads * kEach);
  std::vector<std::thread> threads;

  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t * kEach; i < (t + 1) * kEach; ++i) {
        parallel[i] = policy->rollout(*problem, rollout_spec(i, Stage::kSimulation));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }

  for (std::size_t i = 0; i < parallel.size(); ++i) {
    EXPECT_TRUE(same(parallel[i], policy->rollout(*problem, rollout_spec(i, Stage::kSimulation))))
        << "rollout " << i;
  }
}

/// Gradients are finite on every problem, in both kinds of stage.
inline void check_gradients(const MakeTrainable& make) {
  for (const Stage stage : {Stage::kImitation, Stage::kSimulation}) {
    for (const Problem& problem : problems()) {
      SCOPED_TRACE(problem->name);
      const auto policy = make(7);
      const Batch batch = run_batch(*policy, *problem, stage);

      for (const float value : gradient_of(*policy, *problem, batch.scored)) {
        ASSERT_TRUE(std::isfinite(value));
      }
    }
  }
}

/// gradient() adds to its output, and a group's gradient is the sum over its rollouts, so that
/// the farm may split an update in any way.
inline void check_gradient_adds(const MakeTrainable& make) {
  const auto policy = make(7);
  const Problem problem = ordinary_problem();
  const Batch batch = run_batch(*policy, *problem, Stage::kSimulation);
  const Weights whole = gradient_of(*policy, *problem, batch.scored);
  Weights summed(whole.size(), 0.0F);

  for (const ScoredRollout& one : batch.scored) {
    policy->gradient(*problem, {&one, 1}, summed);
  }

  double scale = 0.0;
  for (const float value : whole) {
    scale = std::max(scale, std::abs(static_cast<double>(value)));
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_NEAR(summed[i], whole[i], 1e-3 * scale + 1e-6) << "parameter " << i;
  }
}

/// A step along a gradient changes the parameters, the same way in each object.
inline void check_step(const MakeTrainable& make) {
  const auto policy = make(7);
  const auto twin = make(7);
  const Problem problem = ordinary_problem();
  const Weights before = weights_of(*policy);
  ASSERT_EQ(weights_of(*twin), before) << "the same seed must give the same weights";
  const Batch batch = run_batch(*policy, *problem, Stage::kImitation);
  static_cast<void>(run_batch(*twin, *problem, Stage::kImitation));
  const Weights gradient = gradient_of(*policy, *problem, batch.scored);
  const StepSpec spec{0, Stage::kImitation, 0.5, batch.scored.size()};

  policy->step(gradient, spec);
  twin->step(gradient, spec);

  EXPECT_NE(weights_of(*policy), before);
  EXPECT_EQ(weights_of(*policy), weights_of(*twin));
}

/// What was saved loads into an object of another seed, saves again bit for bit, and continues as
/// the original does.
inline void check_state(const MakeTrainable& make) {
  const auto original = make(7);
  const Problem problem = ordinary_problem();
  update(*original, *problem, 0);
  update(*original, *problem, 1);
  MemoryState saved;
  original->save(saved);
  const auto restored = make(8);

  restored->load(saved);

  MemoryState again;
  restored->save(again);
  EXPECT_EQ(saved.entries(), again.entries());
  EXPECT_EQ(weights_of(*restored), weights_of(*original));
  update(*original, *problem, 2);
  update(*restored, *problem, 2);
  EXPECT_EQ(weights_of(*restored), weights_of(*original)) << "training continues differently";
}

/// A state without its first entry, and an empty one, are refused.
inline void check_missing_state(const MakeTrainable& make) {
  MemoryState saved;
  make(7)->save(saved);
  ASSERT_FALSE(saved.entries().empty());
  saved.erase(saved.entries().begin()->first);

  EXPECT_THROW(make(7)->load(saved), CheckpointError);
  EXPECT_THROW(make(7)->load(MemoryState{}), CheckpointError);
}

}  // namespace berth::conformance
