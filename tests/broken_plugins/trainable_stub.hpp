// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include "function_policy.hpp"

namespace berth::broken {

/// A trainable policy that keeps its contract and learns nothing; each defect overrides one call.
class TrainableStub : public TrainablePolicy {
 public:
  Placement place(const PlacementProblem& problem, Evaluator&, Rng&) override {
    return all_on_first(problem);
  }
  Rollout rollout(const PlacementProblem& problem, const RolloutSpec&) const override {
    return {all_on_first(problem), {}, 0};
  }
  Rollout demonstrate(const PlacementProblem& problem, const RolloutSpec&) const override {
    return {all_on_first(problem), {}, 0};
  }
  void assess(std::span<RolloutOutcome>) override {}
  void gradient(const PlacementProblem&,
                std::span<const ScoredRollout>,
                std::span<float>) const override {}
  void step(std::span<const float>, const StepSpec&) override {}
  std::span<const float> parameters() const override { return weights_; }
  void save(StateWriter&) const override {}
  void load(const StateReader&) override {}

 protected:
  std::vector<float> weights_ = {0.0F, 0.0F, 0.0F};
};

template <class Policy>
std::unique_ptr<TrainablePolicy> make_trainable(const HostServices& /*host*/) {
  return std::make_unique<Policy>();
}

}  // namespace berth::broken

/// A plugin whose one policy is the class `policy`.
#define BERTH_TRAINABLE_PLUGIN(name, policy)                                                      \
  BERTH_PLUGIN(name,                                                                              \
               "1.0",                                                                             \
               ::berth::offer<::berth::TrainablePolicy, ::berth::broken::make_trainable<policy>>( \
                   name, "Broken.", {}))
