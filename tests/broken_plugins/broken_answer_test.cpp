// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "broken_plugin_fixture.hpp"

namespace berth::broken {
namespace {

class BrokenAnswer : public BrokenPlugin {
 protected:
  std::string place(const std::string& name, const std::string& defect) {
    const auto policy = host_of(defect).placement_policy(name, {}, 1);
    const auto problem = chain_problem();
    Evaluator evaluator(*problem);
    Rng rng(1);
    return error_text<PluginError>(
        [&] { static_cast<void>(policy->place(*problem, evaluator, rng)); });
  }
};

TEST_F(BrokenAnswer, APlacementOfAnotherSizeNamesBothSizes) {
  EXPECT_EQ(place("wrong-size", "wrong_size"),
            who("wrong-size", "wrong_size") +
                ": place answered an illegal placement: 2 devices given; expected one for each of "
                "the 3 ops of 'chain'");
}

TEST_F(BrokenAnswer, AnOrderThatIsNoNumberNamesTheOp) {
  EXPECT_EQ(place("nan-order", "nan_order"),
            who("nan-order", "nan_order") +
                ": place answered an illegal placement: order value of a is nan; expected a finite "
                "number");
}

TEST_F(BrokenAnswer, AnUnknownDeviceNamesTheOpAndTheDevice) {
  EXPECT_EQ(place("device-out-of-range", "device_out_of_range"),
            who("device-out-of-range", "device_out_of_range") +
                ": place answered an illegal placement: c is on device 2; topology 'uniform:2' has "
                "devices 0 to 1");
}

TEST_F(BrokenAnswer, AnExceptionNamesPluginAndCall) {
  EXPECT_EQ(place("throws-in-place", "throws_in_place"),
            who("throws-in-place", "throws_in_place") + ": place failed: lost op 3");
  EXPECT_EQ(place("throws-number-in-place", "throws_number_in_place"),
            who("throws-number-in-place", "throws_number_in_place") +
                ": place failed: threw an object that is no std::exception");
}

class BrokenLearning : public BrokenPlugin {
 protected:
  BrokenLearning() : problem(chain_problem()) {}

  std::unique_ptr<TrainablePolicy> policy(const std::string& name, const std::string& defect) {
    return host_of(defect).trainable_policy(name, {}, 1);
  }

  std::shared_ptr<const PlacementProblem> problem;
};

TEST_F(BrokenLearning, AGradientThatIsNoNumberNamesThePosition) {
  const auto learner = policy("nan-gradient", "nan_gradient");
  std::vector<float> out(3, 0.0F);

  EXPECT_EQ(error_text<PluginError>([&] { learner->gradient(*problem, {}, out); }),
            who("nan-gradient", "nan_gradient") +
                ": gradient answered nan at position 1 of 3; expected finite numbers");
}

TEST_F(BrokenLearning, AGradientOfAnotherSizeIsNotPassedOn) {
  const auto learner = policy("nan-gradient", "nan_gradient");
  std::vector<float> out(2, 0.0F);

  const std::string message =
      error_text<PluginError>([&] { learner->gradient(*problem, {}, out); });

  EXPECT_NE(message.find("gradient: 2 numbers for 3 parameters"), std::string::npos) << message;
}

TEST_F(BrokenLearning, AStepMustLeaveFiniteParametersOfTheSameNumber) {
  const std::vector<float> gradient(3, 0.0F);

  EXPECT_EQ(error_text<PluginError>(
                [&] { policy("infinite-weights", "infinite_weights")->step(gradient, {}); }),
            who("infinite-weights", "infinite_weights") +
                ": parameters answered inf at position 2 of 3; expected finite numbers");
  EXPECT_EQ(error_text<PluginError>(
                [&] { policy("grows-weights", "grows_weights")->step(gradient, {}); }),
            who("grows-weights", "grows_weights") +
                ": step: 4 numbers for 3 parameters; a policy keeps one number of parameters for "
                "life");
}

TEST_F(BrokenLearning, RolloutsAndDemonstrationsMustPlaceEveryOp) {
  const auto learner = policy("bad-rollout", "bad_rollout");

  EXPECT_EQ(error_text<PluginError>([&] { static_cast<void>(learner->rollout(*problem, {})); }),
            who("bad-rollout", "bad_rollout") +
                ": rollout answered an illegal placement: a is on device 7; topology 'uniform:2' "
                "has devices 0 to 1");
  EXPECT_EQ(error_text<PluginError>([&] { static_cast<void>(learner->demonstrate(*problem, {})); }),
            who("bad-rollout", "bad_rollout") +
                ": demonstrate answered an illegal placement: 0 devices given; expected one for "
                "each of the 3 ops of 'chain'");
}

TEST_F(BrokenLearning, AnAdvantageThatIsNoNumberNamesTheRollout) {
  const auto learner = policy("nan-advantage", "nan_advantage");
  std::vector<RolloutOutcome> outcomes(2);
  outcomes[1].spec.id = RolloutId{41};

  EXPECT_EQ(error_text<PluginError>([&] { learner->assess(outcomes); }),
            who("nan-advantage", "nan_advantage") +
                ": assess answered advantage nan for rollout 41; expected a finite number");
}

class NoState final : public StateReader, public StateWriter {
 public:
  bool has(std::string_view) const override { return false; }
  std::vector<std::int64_t> shape(std::string_view) const override { return {}; }
  void tensor(std::string_view, std::span<const std::int64_t>, std::span<float>) const override {}
  void tensor(std::string_view, std::span<const std::int64_t>, std::span<double>) const override {}
  void tensor(std::string_view,
              std::span<const std::int64_t>,
              std::span<std::uint64_t>) const override {}
  std::string text(std::string_view) const override { return {}; }
  void tensor(std::string_view, std::span<const std::int64_t>, std::span<const float>) override {}
  void tensor(std::string_view, std::span<const std::int64_t>, std::span<const double>) override {}
  void tensor(std::string_view,
              std::span<const std::int64_t>,
              std::span<const std::uint64_t>) override {}
  void text(std::string_view, std::string_view) override {}
};

TEST_F(BrokenLearning, ErrorsKeepTheirCategoryInEveryCall) {
  const std::string plugin = who("throws-in-learning", "throws_in_learning");
  const auto learner = policy("throws-in-learning", "throws_in_learning");
  NoState state;

  EXPECT_EQ(error_text<PluginError>([&] { static_cast<void>(learner->rollout(*problem, {})); }),
            plugin + ": rollout failed: rolled off");
  EXPECT_EQ(error_text<RunError>([&] { learner->assess({}); }),
            plugin + ": assess failed: no baseline");
  EXPECT_EQ(error_text<InputError>([&] { learner->save(state); }),
            plugin + ": save failed: no name");
  EXPECT_EQ(error_text<CheckpointError>([&] { learner->load(state); }),
            plugin + ": load failed: tensor 'w' is missing");
}

TEST_F(BrokenLearning, ATrainablePolicyAlsoPlaces) {
  const auto learner = host_of("nan_gradient").placement_policy("nan-gradient", {}, 1);
  Evaluator evaluator(*problem);
  Rng rng(1);

  EXPECT_EQ(learner->place(*problem, evaluator, rng).device, std::vector<DeviceId>(3, DeviceId{0}));
}

TEST_F(BrokenLearning, OneNameUnderTwoInterfacesIsWhatWasAskedFor) {
  Evaluator evaluator(*problem);
  Rng rng(1);
  PluginHost& host = host_of("both_interfaces");

  EXPECT_EQ(host.placement_policy("both", {}, 1)->place(*problem, evaluator, rng).device,
            std::vector<DeviceId>(3, DeviceId{1}));
  EXPECT_EQ(host.trainable_policy("both", {}, 1)->place(*problem, evaluator, rng).device,
            std::vector<DeviceId>(3, DeviceId{0}));
}

}  // namespace
}  // namespace berth::broken
