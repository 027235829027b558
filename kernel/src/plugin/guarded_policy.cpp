// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_policy.hpp"

#include "answer_checks.hpp"

namespace berth::internal {
namespace {

Placement guarded_place(const PluginObject& object,
                        PlacementPolicy& policy,
                        const PlacementProblem& problem,
                        Evaluator& evaluator,
                        Rng& rng) {
  Placement placement =
      guarded(object.who(), "place", [&] { return policy.place(problem, evaluator, rng); });
  expect_legal(object.who(), "place", problem, placement);
  return placement;
}

class GuardedPlacementPolicy final : public PlacementPolicy {
 public:
  explicit GuardedPlacementPolicy(std::unique_ptr<PluginObject> object)
      : object_(std::move(object)) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    return guarded_place(*object_, object_->as<PlacementPolicy>(), problem, evaluator, rng);
  }

 private:
  std::unique_ptr<PluginObject> object_;
};

class GuardedTrainablePolicy final : public TrainablePolicy {
 public:
  explicit GuardedTrainablePolicy(std::unique_ptr<PluginObject> object)
      : object_(std::move(object)) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    return guarded_place(*object_, policy(), problem, evaluator, rng);
  }

  Rollout rollout(const PlacementProblem& problem, const RolloutSpec& spec) const override {
    return checked(problem, "rollout", [&] { return policy().rollout(problem, spec); });
  }

  Rollout demonstrate(const PlacementProblem& problem, const RolloutSpec& spec) const override {
    return checked(problem, "demonstrate", [&] { return policy().demonstrate(problem, spec); });
  }

  void assess(std::span<RolloutOutcome> outcomes) override {
    guarded(who(), "assess", [&] { policy().assess(outcomes); });
    expect_finite_advantages(who(), outcomes);
  }

  void gradient(const PlacementProblem& problem,
                std::span<const ScoredRollout> group,
                std::span<float> out) const override {
    expect_size(who(), "gradient", out.size(), parameters().size());
    guarded(who(), "gradient", [&] { policy().gradient(problem, group, out); });
    expect_finite(who(), "gradient", out);
  }

  void step(std::span<const float> gradient, const StepSpec& spec) override {
    const std::size_t size = parameters().size();
    expect_size(who(), "step", gradient.size(), size);
    guarded(who(), "step", [&] { policy().step(gradient, spec); });
    expect_size(who(), "step", parameters().size(), size);
  }

  std::span<const float> parameters() const override {
    const std::span<const float> values =
        guarded(who(), "parameters", [&] { return policy().parameters(); });
    expect_finite(who(), "parameters", values);
    return values;
  }

  void improved(const PlacementProblem& problem,
                std::uint32_t problem_index,
                const Placement& placement,
                double makespan) override {
    guarded(
        who(), "improved", [&] { policy().improved(problem, problem_index, placement, makespan); });
  }

  void save(StateWriter& writer) const override {
    guarded(who(), "save", [&] { policy().save(writer); });
  }

  void load(const StateReader& reader) override {
    guarded(who(), "load", [&] { policy().load(reader); });
  }

 private:
  template <class Call>
  Rollout checked(const PlacementProblem& problem, const char* operation, Call&& call) const {
    Rollout rollout = guarded(who(), operation, std::forward<Call>(call));
    expect_assignment(who(), operation, problem, rollout.placement);
    return rollout;
  }

  [[nodiscard]] TrainablePolicy& policy() const { return object_->as<TrainablePolicy>(); }
  [[nodiscard]] const std::string& who() const { return object_->who(); }

  std::unique_ptr<PluginObject> object_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> guard_placement(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedPlacementPolicy>(std::move(object));
}

std::unique_ptr<TrainablePolicy> guard_trainable(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedTrainablePolicy>(std::move(object));
}

}  // namespace berth::internal
