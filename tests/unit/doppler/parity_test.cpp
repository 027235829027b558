// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "candidate_set.hpp"
#include "column_scaling.hpp"
#include "decision_log.hpp"
#include "device_features.hpp"
#include "doppler_policy.hpp"
#include "eager_net.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

/// What the eager networks are shown, recorded along a rollout's decisions.
std::vector<EagerStep> steps_of(const ProblemView& view,
                                const Settings& settings,
                                const Rollout& rollout,
                                Rng& rng) {
  CandidateSet candidates(view.graph);
  DeviceTimeline timeline(view, settings.timeline, settings.timeline_type);
  timeline.merge_empty(settings.merge_empty_devices);
  DeviceFeatures features(view, settings.architecture.rich_features);
  features.reset();
  const DecisionLog log(rollout.decisions);
  std::vector<EagerStep> steps;
  for (std::size_t i = 0; i < log.size(); ++i) {
    EagerStep step;
    const auto list = candidates.list();
    step.candidates.assign(list.begin(), list.end());
    step.pick = std::find(list.begin(), list.end(), log[i].op) - list.begin();
    const std::size_t columns = settings.architecture.node_columns;
    step.candidate_features.resize(list.size() * columns);
    normalise_rows(view.raw_features, columns, list, step.candidate_features);
    timeline.look_at(log[i].op);
    step.device_features.resize(view.num_devices() * features.columns());
    features.fill(timeline, step.device_features);
    step.legal.assign(timeline.legal().begin(), timeline.legal().end());
    step.device = log[i].device;
    step.weight = static_cast<float>(rng.uniform() - 0.3);
    timeline.assign(log[i].device);
    features.assigned(timeline, log[i].device);
    candidates.pick(static_cast<std::size_t>(step.pick));
    steps.push_back(std::move(step));
  }
  return steps;
}

void expect_parity(const PlacementProblem& problem, const Settings& settings) {
  const DopplerPolicy policy(settings, 5);
  const auto prepared = policy.prepare(problem);
  const ProblemView& view = *prepared->view;
  Rng rng(11);
  const Rollout rollout = play_episode(*prepared, settings, {}, rng);
  const std::vector<EagerStep> steps = steps_of(view, settings, rollout, rng);
  const std::vector<float> weights(policy.parameters().begin(), policy.parameters().end());
  constexpr float kEntropy = 0.05F;

  const EagerResult eager =
      run_eager(settings.architecture, policy.layout(), weights, view.input, steps, kEntropy);

  const EncoderNet encoder(settings.architecture, policy.layout());
  EncoderNet::Tape tape = encoder.record(view.input, weights.data());
  Replay replay(*prepared, settings);
  std::vector<std::uint32_t> op, device;
  std::vector<float> weight;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    op.push_back(DecisionLog(rollout.decisions)[i].op);
    device.push_back(DecisionLog(rollout.decisions)[i].device);
    weight.push_back(steps[i].weight);
  }
  LogProbabilities ours;
  Lesson lesson{op, device, {}, weight, weight};
  lesson.entropy_weight = kEntropy;
  replay.learn(lesson, &ours);
  std::vector<float> gradient(policy.layout().size(), 0.0F);
  replay.write(policy.layout(), gradient);
  tape.backward(replay.table_gradient(), gradient.data());

  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(ours.sel[i], eager.sel[i], 1e-4) << "step " << i;
    EXPECT_NEAR(ours.plc[i], eager.plc[i], 1e-4) << "step " << i;
  }
  double largest = 0.0;
  for (const float g : eager.gradient) {
    largest = std::max(largest, std::abs(static_cast<double>(g)));
  }
  ASSERT_GT(largest, 0.0);
  for (const Parameter& parameter : policy.layout().parameters()) {
    double off = 0.0;
    for (std::size_t i = parameter.offset; i < parameter.offset + parameter.size; ++i) {
      off = std::max(off, std::abs(static_cast<double>(gradient[i] - eager.gradient[i])));
    }
    EXPECT_LE(off, 1e-4 * largest) << parameter.name;
  }
}

/// Decisions of a greedy rollout against the arg-max of the eager networks, step by step.
void expect_same_decisions(const PlacementProblem& problem, const Settings& settings) {
  const DopplerPolicy policy(settings, 6);
  const auto prepared = policy.prepare(problem);
  Rng rng(1);
  ActSpec greedy;
  greedy.mode = ActSpec::Mode::kGreedy;
  const Rollout rollout = play_episode(*prepared, settings, greedy, rng);
  const std::vector<EagerStep> steps = steps_of(*prepared->view, settings, rollout, rng);
  const std::vector<float> weights(policy.parameters().begin(), policy.parameters().end());

  const EagerResult eager = run_eager(
      settings.architecture, policy.layout(), weights, prepared->view->input, steps, 0.0F);

  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].pick, eager.best_pick[i]) << "step " << i;
    EXPECT_EQ(steps[i].device, eager.best_device[i]) << "step " << i;
  }
}

TEST(Parity, DefaultNetworksEqualEagerLibTorch) {
  const auto problem = random_problem(20, 3, 4);
  expect_parity(*problem, settings_of({}));
  expect_same_decisions(*problem, settings_of({}));
}

TEST(Parity, ReferenceNetworksEqualEagerLibTorch) {
  const auto problem = random_problem(14, 4, 9);
  const auto small = {std::pair{"preset", "reference"},
                      std::pair{"hidden", "16"},
                      std::pair{"head", "24"},
                      std::pair{"edge_hidden", "12"}};
  expect_parity(*problem, settings_of(small));
  expect_same_decisions(*problem, settings_of(small));
}

TEST(Parity, MoreEdgeValuesThanEdgeUnitsEqualEagerLibTorch) {
  const auto problem = random_problem(18, 2, 3);
  expect_parity(*problem,
                settings_of({{"preset", "parity"}, {"hidden", "8"}, {"edge_hidden", "1"}}));
}

/// Layers of two ops, each fed by both of the layer before; no two edges of equal size.
std::shared_ptr<const PlacementProblem> distinct_edges(std::size_t ops, std::size_t devices) {
  GraphBuilder builder("distinct");
  double size = 1.0;
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.work = 1.0 + static_cast<double>(v % 3);
    builder.add_op(op);
    for (std::size_t before = v - v % 2; v >= 2 && before > v - v % 2 - 2; --before) {
      builder.add_edge(to_id<OpId>(before - 1), to_id<OpId>(v), size);
      size += 0.25;
    }
  }
  return make_problem("distinct", builder.freeze(), Topology::uniform(devices), {});
}

TEST(Parity, EdgesOfWhichNoTwoAreAlikeEqualEagerLibTorch) {
  // More values than edge units and one pair for each: rows are combined, not matrices.
  const auto problem = distinct_edges(16, 3);
  expect_parity(*problem, settings_of({}));
  expect_same_decisions(*problem, settings_of({}));
}

TEST(Parity, OneOpAndOneDeviceGiveFiniteGradients) {
  const auto problem = random_problem(1, 1, 1);
  expect_parity(*random_problem(5, 1, 2), settings_of({}));
  const DopplerPolicy policy(settings_of({}), 1);
  const Rollout rollout = policy.rollout(*problem, RolloutSpec{});
  const ScoredRollout scored{&rollout, {{}, RolloutStatus::kOk, 1.0, 1.0}};
  std::vector<float> gradient(policy.parameters().size(), 0.0F);

  policy.gradient(*problem, {&scored, 1}, gradient);

  for (const float g : gradient) {
    ASSERT_TRUE(std::isfinite(g));
  }
}

}  // namespace
}  // namespace berth::doppler
