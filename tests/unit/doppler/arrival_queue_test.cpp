// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "arrival_queue.hpp"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "candidate_set.hpp"
#include "decision_log.hpp"
#include "doppler_policy.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

/// The definition: of all candidates the least (arrival, id), devices given.
std::vector<std::uint32_t> ops_by_arrival(const ProblemView& view,
                                          std::span<const DeviceId> device) {
  CandidateSet candidates(view.graph);
  DeviceTimeline timeline(view, TimelineRule::kEarliestStart, TimelineType::kDouble);
  std::vector<std::uint32_t> ops;
  while (ops.size() < view.num_ops()) {
    const auto list = candidates.list();
    const auto first = std::ranges::min_element(
        list, {}, [&](std::uint32_t op) { return std::tuple(timeline.least_arrival(op), op); });
    ops.push_back(*first);
    timeline.look_at(*first);
    timeline.assign(static_cast<std::uint32_t>(device[*first]));
    candidates.pick(static_cast<std::size_t>(first - list.begin()));
  }
  return ops;
}

std::vector<std::uint32_t> ops_of(const Rollout& rollout) {
  const DecisionLog log(rollout.decisions);
  std::vector<std::uint32_t> ops;
  for (std::size_t step = 0; step < log.size(); ++step) {
    ops.push_back(log[step].op);
  }
  return ops;
}

TEST(ArrivalQueue, AnOpArrivesWhereItsLastInputCanBeFirst) {
  const auto problem = diamond(2);
  const DopplerPolicy policy(settings_of({}), 1);
  const auto prepared = policy.prepare(*problem);
  DeviceTimeline timeline(*prepared->view, TimelineRule::kEarliestStart, TimelineType::kDouble);
  const std::pair<std::uint32_t, std::uint32_t> placed[] = {{0, 0}, {1, 0}, {2, 1}};
  for (const auto& [op, device] : placed) {
    timeline.look_at(op);
    timeline.assign(device);
  }

  // Op 1 ends at 3 on device 0, op 2 runs 11 - 14 on device 1: 24 on device 0, 14 on device 1.
  EXPECT_EQ(timeline.least_arrival(3), 14.0);
}

TEST(ArrivalQueue, OrdersTheRolloutsOfPolicyReadyAndOfThoseThatAreAskedTo) {
  const DopplerPolicy ready(settings_of({{"policy", "ready"}, {"refine_simulations", "0"}}), 1);
  const Settings both = settings_of({});
  const DopplerPolicy selects(both, 1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto problem = random_problem(40, 3, seed);
    const auto prepared = selects.prepare(*problem);
    RolloutSpec spec;
    spec.seed = seed;
    spec.stage = Stage::kImitation;
    ActSpec act;
    act.by_arrival = true;
    Rng rng(seed);

    const Rollout of_ready = ready.rollout(*problem, spec);
    const Rollout asked = play_episode(*prepared, both, act, rng);

    EXPECT_EQ(ops_of(of_ready), ops_by_arrival(*prepared->view, of_ready.placement.device));
    EXPECT_EQ(ops_of(asked), ops_by_arrival(*prepared->view, asked.placement.device));
  }
}

TEST(ArrivalQueue, PolicyReadyLearnsNothingForSel) {
  const auto problem = random_problem(20, 2, 3);
  const DopplerPolicy policy(settings_of({{"policy", "ready"}, {"refine_simulations", "0"}}), 1);
  const Rollout rollout = policy.rollout(*problem, RolloutSpec{});
  const ScoredRollout scored{&rollout, {.spec = RolloutSpec{}, .advantage = 1.0}};
  std::vector<float> gradient(policy.parameters().size(), 0.0F);

  policy.gradient(*problem, {&scored, 1}, gradient);

  for (const Parameter& parameter : policy.layout().parameters()) {
    const auto values = std::span(gradient).subspan(parameter.offset, parameter.size);
    const bool moves = std::ranges::any_of(values, [](float value) { return value != 0.0F; });
    if (parameter.name.starts_with("sel/")) {
      EXPECT_FALSE(moves) << parameter.name;
    }
  }
  EXPECT_TRUE(std::ranges::any_of(gradient, [](float value) { return value != 0.0F; }));
}

}  // namespace
}  // namespace berth::doppler
