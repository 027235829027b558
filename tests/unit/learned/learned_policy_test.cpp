// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "learned_policy.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "device_timeline.hpp"
#include "learned_problems.hpp"
#include "preset_values.hpp"
#include "teacher_labels.hpp"

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

/// Mean makespan of sampled rollouts.
double mean_makespan(const LearnedPolicy& policy, const PlacementProblem& problem) {
  constexpr std::uint64_t kRollouts = 128;
  Simulator simulator(problem);
  double sum = 0.0;
  for (std::uint64_t i = 0; i < kRollouts; ++i) {
    const RolloutSpec spec{to_id<RolloutId>(i), 1000 + i, 0, Stage::kSimulation, 0.0};
    sum += simulator.makespan(policy.rollout(problem, spec).placement.device);
  }
  return sum / static_cast<double>(kRollouts);
}

/// Share of the decisions of sampled rollouts that the teacher would have made there.
double share_taught(const LearnedPolicy& policy, const PlacementProblem& problem) {
  constexpr std::uint64_t kRollouts = 64;
  const auto learned = policy.view_of(problem);
  double taught = 0.0;
  std::vector<std::uint32_t> devices;
  for (std::uint64_t i = 0; i < kRollouts; ++i) {
    const RolloutSpec spec{to_id<RolloutId>(i), 1000 + i, 0, Stage::kSimulation, 0.0};
    const Rollout rollout = policy.rollout(problem, spec);
    doppler::DeviceTimeline timeline(
        learned->view, doppler::TimelineRule::kEarliestStart, doppler::TimelineType::kDouble);
    timeline.merge_empty(true);
    for (std::size_t step = 0; step < rollout.decisions.size(); ++step) {
      timeline.look_at(static_cast<std::uint32_t>(learned->net.order[step]));
      doppler::teacher_devices(timeline, devices);
      taught += static_cast<double>(std::ranges::count(devices, rollout.decisions[step]));
      timeline.assign(rollout.decisions[step]);
    }
  }
  return taught / static_cast<double>(kRollouts * problem.graph.num_ops());
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
  const double before = share_taught(*policy, *problem);

  static_cast<void>(train(*policy, *problem, Stage::kImitation, 60));

  EXPECT_GT(share_taught(*policy, *problem), before + 0.02);
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

TEST_P(LearnedPolicies, TrainAndPlaceOnAnyNumberOfDevices) {
  const auto policy = make(GetParam());
  const std::size_t parameters = policy->parameters().size();
  for (const std::size_t devices : {2U, 4U, 8U, 19U}) {
    for (const Speeds speeds : {Speeds::kEqual, Speeds::kMixed}) {
      const auto problem = random_problem(12, devices, 1, speeds);
      const std::vector<float> before(policy->parameters().begin(), policy->parameters().end());

      static_cast<void>(train(*policy, *problem, Stage::kSimulation, 2));
      Evaluator evaluator(*problem, {20, 0.0});
      Rng rng(1);

      EXPECT_NO_THROW(check_placement(*problem, policy->place(*problem, evaluator, rng)));
      EXPECT_EQ(policy->parameters().size(), parameters);
      EXPECT_FALSE(std::ranges::equal(policy->parameters(), before)) << devices << " devices";
    }
  }
}

TEST_P(LearnedPolicies, PreferTheFasterDevicesThatTheyWereTaught) {
  // Nine ops alone, free to go anywhere: on the fastest of three the sum of times is least. What is
  // learned on three devices of speeds 1, 2, 3 holds on six.
  GraphBuilder builder("alone");
  OpSpec op;
  op.work = 1.0;
  OpId before = builder.add_op(op);
  for (int v = 1; v < 9; ++v) {
    const OpId next = builder.add_op(op);
    builder.add_edge(before, next, 1e-3);
    before = next;
  }
  const Graph graph = builder.freeze();
  const auto three = make_problem("three", graph, devices_of(3, Speeds::kMixed), {});
  const auto six = make_problem("six", graph, devices_of(6, Speeds::kMixed), {});
  const auto policy = make(GetParam());
  const double untrained = mean_makespan(*policy, *six);

  static_cast<void>(train(*policy, *three, Stage::kSimulation, 60));

  EXPECT_LT(mean_makespan(*policy, *six), 0.9 * untrained);
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

TEST(LearnedSettings, OfAPresetAreThoseThatTheHelpNames) {
  testing::expect_help_names_what_presets_do(kPlacetoOptions, "placeto", [](const Config& config) {
    PlacetoSizes sizes;
    return parse_placeto(config, sizes);
  });
  testing::expect_help_names_what_presets_do(kGdpOptions, "gdp", [](const Config& config) {
    GdpSizes sizes;
    return parse_gdp(config, sizes);
  });
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
