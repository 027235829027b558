// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// One policy over pairs of an op and a device.

#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "candidate_set.hpp"
#include "decision_log.hpp"
#include "device_features.hpp"
#include "doppler_policy.hpp"
#include "plc_head.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

Settings joint() {
  return settings_of({{"policy", "joint"}, {"refine_simulations", "4"}, {"deep", "0"}});
}

/// log p of each decision by the head that acts, one pair after the other.
std::vector<double> acting_log_probabilities(const PreparedProblem& prepared,
                                             const Settings& settings,
                                             const DecisionLog& log) {
  const ProblemView& view = *prepared.view;
  CandidateSet candidates(view.graph);
  DeviceTimeline timeline(view, settings.timeline, settings.timeline_type);
  timeline.merge_empty(settings.merge_empty_devices);
  DeviceFeatures features(view, settings.architecture.rich_features);
  features.reset();
  PlcHead plc(settings.architecture, *prepared.heads, prepared.tables, view.num_devices());
  std::vector<float> rows(view.num_devices() * features.columns());
  std::vector<double> result;
  for (std::size_t step = 0; step < log.size(); ++step) {
    double sum = 0.0;
    double taken = 0.0;
    std::size_t pick = 0;
    for (std::size_t i = 0; i < candidates.list().size(); ++i) {
      const std::uint32_t op = candidates.list()[i];
      timeline.look_at(op);
      features.fill(timeline, rows);
      const auto logits = plc.logits(op, rows);
      for (std::size_t d = 0; d < logits.size(); ++d) {
        sum += timeline.legal()[d] != 0 ? std::exp(static_cast<double>(logits[d])) : 0.0;
      }
      if (op == log[step].op) {
        pick = i;
        taken = static_cast<double>(logits[log[step].device]);
      }
    }
    result.push_back(taken - std::log(sum));
    timeline.look_at(log[step].op);
    timeline.assign(log[step].device);
    features.assigned(timeline, log[step].device);
    plc.assigned(log[step].op, log[step].device);
    candidates.pick(pick);
  }
  return result;
}

/// A lesson from a rollout's decisions, each with a weight of its own.
struct Taken {
  explicit Taken(const Rollout& rollout) {
    const DecisionLog log(rollout.decisions);
    for (std::size_t step = 0; step < log.size(); ++step) {
      op.push_back(log[step].op);
      device.push_back(log[step].device);
      weight.push_back(0.3F + 0.1F * static_cast<float>(step % 5));
    }
  }
  std::vector<std::uint32_t> op, device;
  std::vector<float> weight;
};

TEST(Joint, LearnsFromTheProbabilitiesItActsBy) {
  const auto problem = random_problem(20, 3, 4);
  const Settings settings = joint();
  const DopplerPolicy policy(settings, 5);
  const auto prepared = policy.prepare(*problem);
  Rng rng(11);
  const Rollout rollout = play_episode(*prepared, settings, {}, rng);
  const Taken taken(rollout);
  Replay replay(*prepared, settings);
  LogProbabilities learned;

  replay.learn(Lesson{taken.op, taken.device, {}, taken.weight, taken.weight}, &learned);

  const std::vector<double> acted =
      acting_log_probabilities(*prepared, settings, DecisionLog(rollout.decisions));
  ASSERT_EQ(learned.plc.size(), acted.size());
  for (std::size_t step = 0; step < acted.size(); ++step) {
    EXPECT_NEAR(learned.plc[step], acted[step], 1e-4) << "step " << step;
  }
}

TEST(Joint, GradientIsTheDerivativeOfTheLoss) {
  const auto problem = random_problem(12, 3, 4);
  const Settings settings = joint();
  const DopplerPolicy policy(settings, 5);
  const auto prepared = policy.prepare(*problem);
  const ParameterLayout& layout = policy.layout();
  const EncoderNet encoder(settings.architecture, layout);
  Rng rng(11);
  const Rollout rollout = play_episode(*prepared, settings, {}, rng);
  const Taken taken(rollout);
  std::vector<float> weights(policy.parameters().begin(), policy.parameters().end());
  const auto loss = [&] {
    PreparedProblem changed = *prepared;
    changed.heads =
        std::make_shared<const HeadWeights>(settings.architecture, layout, weights.data());
    changed.tables = encoder.tables(prepared->view->input, weights.data());
    const std::vector<double> log_p =
        acting_log_probabilities(changed, settings, DecisionLog(rollout.decisions));
    double sum = 0.0;
    for (std::size_t step = 0; step < log_p.size(); ++step) {
      sum -= static_cast<double>(taken.weight[step]) * log_p[step];
    }
    return sum;
  };

  EncoderNet::Tape tape = encoder.record(prepared->view->input, weights.data());
  Replay replay(*prepared, settings);
  replay.learn(Lesson{taken.op, taken.device, {}, taken.weight, taken.weight});
  std::vector<float> gradient(layout.size(), 0.0F);
  replay.write(layout, gradient);
  tape.backward(replay.table_gradient(), gradient.data());

  double largest = 0.0;
  for (const float g : gradient) {
    largest = std::max(largest, std::abs(static_cast<double>(g)));
  }
  constexpr float kStep = 4e-3F;
  for (const char* name : {"plc/own/weight",
                           "plc/own/bias",
                           "plc/device/weight",
                           "plc/device/bias",
                           "plc/hidden/weight",
                           "plc/hidden/bias",
                           "plc/affinity/query",
                           "plc/affinity/key",
                           "plc/output/weight",
                           "plc/output/bias"}) {
    const Parameter& parameter = layout.find(name);
    for (const std::size_t at : {std::size_t{0}, parameter.size / 2, parameter.size - 1}) {
      float& weight = weights[parameter.offset + at];
      const float before = weight;
      weight = before + kStep;
      const double above = loss();
      weight = before - kStep;
      const double below = loss();
      weight = before;
      EXPECT_NEAR(gradient[parameter.offset + at],
                  (above - below) / (2.0 * static_cast<double>(kStep)),
                  0.02 * largest)
          << name << " " << at;
    }
  }
}

TEST(Joint, ImitatesTheTeachersPickAndDeviceTogether) {
  const auto problem = random_problem(15, 2, 3);
  const DopplerPolicy policy(joint(), 1);
  const RolloutSpec spec{RolloutId{0}, 7, 0, Stage::kImitation, 0.0};
  const Rollout rollout = policy.demonstrate(*problem, spec);
  const ScoredRollout scored{&rollout, {spec, RolloutStatus::kOk, 1.0, 0.0}};
  std::vector<float> gradient(policy.parameters().size(), 0.0F);

  policy.gradient(*problem, {&scored, 1}, gradient);

  const auto moved = [&](const char* name) {
    const Parameter& parameter = policy.layout().find(name);
    return std::any_of(
        gradient.begin() + static_cast<std::ptrdiff_t>(parameter.offset),
        gradient.begin() + static_cast<std::ptrdiff_t>(parameter.offset + parameter.size),
        [](float g) { return g != 0.0F; });
  };
  EXPECT_TRUE(moved("plc/device/weight"));
  EXPECT_TRUE(moved("plc/gru/weight_hh"));
  EXPECT_FALSE(moved("sel/own/weight"));  // One policy: SEL's network has no part in it.
}

TEST(Joint, NeedsHeadsWithoutNormalisation) {
  EXPECT_THROW(static_cast<void>(settings_of({{"policy", "joint"}, {"preset", "parity"}})),
               InputError);
}

}  // namespace
}  // namespace berth::doppler
