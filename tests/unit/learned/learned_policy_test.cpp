// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "learned_policy.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "learned_problems.hpp"

namespace berth::learned {
namespace {

std::unique_ptr<LearnedPolicy> make(const std::string& name, std::uint64_t seed = 1) {
  if (name == "gdp") {
    GdpSizes sizes;
    const LearnedSettings settings = gdp_settings("row", sizes);
    return std::make_unique<LearnedPolicy>(settings, make_gdp_net(sizes), seed);
  }
  PlacetoSizes sizes;
  const LearnedSettings settings = placeto_settings(name, sizes);
  return std::make_unique<LearnedPolicy>(settings, make_placeto_net(sizes), seed);
}

/// `updates` updates of eight rollouts each, as the farm makes them.
/// @return mean makespan of the last one's rollouts.
double train(LearnedPolicy& policy,
             const PlacementProblem& problem,
             Stage stage,
             std::uint64_t updates) {
  Simulator simulator(problem);
  double mean = 0.0;
  for (std::uint64_t update = 0; update < updates; ++update) {
    mean = 0.0;
    std::vector<Rollout> rollouts;
    std::vector<RolloutOutcome> outcomes;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const RolloutSpec spec{to_id<RolloutId>(update * 8 + i), update * 8 + i, 0, stage, 0.0};
      rollouts.push_back(stage == Stage::kImitation ? policy.demonstrate(problem, spec)
                                                    : policy.rollout(problem, spec));
      const double makespan = simulator.makespan(rollouts.back().placement.device);
      mean += makespan / 8.0;
      outcomes.push_back({spec, RolloutStatus::kOk, makespan, 0.0});
    }
    policy.assess(outcomes);
    std::vector<ScoredRollout> group;
    for (std::size_t i = 0; i < rollouts.size(); ++i) {
      group.push_back({&rollouts[i], outcomes[i]});
    }
    std::vector<float> gradient(policy.parameters().size(), 0.0F);
    policy.gradient(problem, group, gradient);
    policy.step(gradient, {update, stage, 0.0, group.size()});
  }
  return mean;
}

class LearnedPolicies : public ::testing::TestWithParam<const char*> {};

TEST_P(LearnedPolicies, LearnFromTheSimulator) {
  // Eight ops of work 1 in a row, transfers of 10: 8 on one device, about 40 at random.
  GraphBuilder builder("row");
  for (int v = 0; v < 8; ++v) {
    OpSpec op;
    op.work = 1.0;
    builder.add_op(op);
    if (v > 0) {
      builder.add_edge(to_id<OpId>(v - 1), to_id<OpId>(v), 10.0);
    }
  }
  const auto problem = make_problem("row", builder.freeze(), Topology::uniform(2), {});
  const auto policy = make(GetParam());
  const double before = train(*policy, *problem, Stage::kSimulation, 1);

  EXPECT_LT(train(*policy, *problem, Stage::kSimulation, 40), 0.6 * before);
}

TEST_P(LearnedPolicies, LearnFromTheTeacher) {
  const auto problem = random_problem(16, 3, 6);
  const auto policy = make(GetParam());
  const double before = train(*policy, *problem, Stage::kImitation, 1);

  EXPECT_LT(train(*policy, *problem, Stage::kImitation, 60), 0.95 * before);
}

TEST_P(LearnedPolicies, KeepToEligibleDevices) {
  GraphBuilder builder("eligible");
  for (int v = 0; v < 9; ++v) {
    OpSpec op;
    op.work = 1.0;
    op.eligible = {to_id<DeviceId>(v % 3)};
    builder.add_op(op);
  }
  const auto problem = make_problem("eligible", builder.freeze(), Topology::uniform(3), {});

  EXPECT_NO_THROW(
      check_placement(*problem, make(GetParam())->rollout(*problem, RolloutSpec{}).placement));
}

TEST_P(LearnedPolicies, SayForHowManyDevicesTheyAreMade) {
  const auto problem = random_problem(4, 5, 1);
  try {
    static_cast<void>(make(GetParam())->rollout(*problem, RolloutSpec{}));
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("5 devices; the network tells 3 apart; set devices=5"),
              std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, LearnedPolicies, ::testing::Values("every-step", "once", "gdp"));

TEST(LearnedSettings, ReferenceRestoresWhatWasMended) {
  Config config(kPlacetoOptions, "placeto");
  config.set("preset", "reference");
  PlacetoSizes sizes;

  const LearnedSettings settings = parse_placeto(config, sizes);

  EXPECT_FALSE(sizes.sees_parallel);
  EXPECT_FALSE(settings.scales_features);
  EXPECT_EQ(settings.discount, 0.99);
  EXPECT_EQ(settings.exploration, doppler::Exploration::kEpsGreedy);
  EXPECT_EQ(settings.baseline, doppler::Baseline::kRunMean);
  EXPECT_EQ(settings.imitation.imitation_weight, 0.0);
}

TEST(LearnedSettings, HeadsDivideTheWidth) {
  Config config(kGdpOptions, "gdp");
  config.set("hidden", "10");
  GdpSizes sizes;

  EXPECT_THROW(static_cast<void>(parse_gdp(config, sizes)), InputError);
}

TEST(LearnedView, OpsAreParallelWithoutAPathBetweenThem) {
  // 0 -> 1 -> 3, 0 -> 2: 2 is parallel to 1 and 3.
  GraphBuilder builder("fork");
  for (int v = 0; v < 4; ++v) {
    OpSpec op;
    op.work = 1.0 + v;
    builder.add_op(op);
  }
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 3}, {0, 2}}) {
    builder.add_edge(to_id<OpId>(from), to_id<OpId>(to), 1.0);
  }
  const auto problem = make_problem("fork", builder.freeze(), Topology::uniform(2), {});
  PlacetoSizes sizes;

  const NetGraph net = make_learned_view(*problem, placeto_settings("every-step", sizes)).net;

  for (const auto& [a, b, related] : {std::tuple{0U, 3U, true},
                                      {3U, 0U, true},
                                      {2U, 1U, false},
                                      {1U, 2U, false},
                                      {2U, 3U, false},
                                      {0U, 2U, true},
                                      {2U, 2U, true}}) {
    EXPECT_EQ(net.is_related(a, b), related) << a << " " << b;
  }
}

}  // namespace
}  // namespace berth::learned
