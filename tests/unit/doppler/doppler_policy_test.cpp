// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_policy.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "candidate_set.hpp"
#include "decision_log.hpp"
#include "device_timeline.hpp"
#include "plugins/baselines/heft.hpp"
#include "recorded_state.hpp"
#include "refine.hpp"
#include "sample_problems.hpp"
#include "teacher_labels.hpp"
#include "weights_state.hpp"

namespace berth::doppler {
namespace {

/// `updates` updates of eight rollouts each, as the farm makes them.
void train(DopplerPolicy& policy,
           const PlacementProblem& problem,
           Stage stage,
           std::uint64_t first,
           std::uint64_t updates) {
  Simulator simulator(problem);
  for (std::uint64_t update = first; update < first + updates; ++update) {
    std::vector<Rollout> rollouts;
    std::vector<RolloutOutcome> outcomes;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const RolloutSpec spec{to_id<RolloutId>(update * 8 + i), update * 8 + i, 0, stage, 0.0};
      rollouts.push_back(stage == Stage::kImitation ? policy.demonstrate(problem, spec)
                                                    : policy.rollout(problem, spec));
      const double makespan = simulator.makespan(rollouts.back().placement.device);
      outcomes.push_back({spec, RolloutStatus::kOk, makespan, 0.0});
      policy.improved(problem, 0, rollouts.back().placement, makespan);
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
}

std::vector<float> weights_of(const DopplerPolicy& policy) {
  return {policy.parameters().begin(), policy.parameters().end()};
}

TEST(DopplerPolicy, PlacesEveryOpLegallyAndTheSameForASeed) {
  const auto problem = random_problem(25, 3, 2);
  DopplerPolicy policy(settings_of({{"samples", "4"}}), 1);
  Rng rng(5);
  Evaluator evaluator(*problem);
  const Placement first = policy.place(*problem, evaluator, rng);
  Rng again(5);
  Evaluator other(*problem);

  EXPECT_NO_THROW(check_placement(*problem, first));
  EXPECT_EQ(first, policy.place(*problem, other, again));
  EXPECT_EQ(other(first), other.best_makespan());
}

TEST(DopplerPolicy, SpendsASimulationBudgetAndNoMore) {
  const auto problem = random_problem(25, 3, 2);
  DopplerPolicy policy(settings_of({}), 1);
  Rng rng(5);
  Evaluator evaluator(*problem, {20, 0.0});

  static_cast<void>(policy.place(*problem, evaluator, rng));

  EXPECT_EQ(evaluator.simulations(), 20U);
}

TEST(DopplerPolicy, PlacesAnEmptyGraphAndOneOp) {
  DopplerPolicy policy(settings_of({{"samples", "2"}}), 1);
  for (const std::size_t ops : {0U, 1U}) {
    const auto problem = random_problem(ops, 2, 1);
    Evaluator evaluator(*problem);
    Rng rng(1);
    EXPECT_EQ(policy.place(*problem, evaluator, rng).device.size(), ops);
  }
}

TEST(DopplerPolicy, KeepsToEligibleDevices) {
  GraphBuilder builder("eligible");
  for (int v = 0; v < 12; ++v) {
    OpSpec op;
    op.work = 1.0;
    op.eligible = {to_id<DeviceId>(v % 3)};
    builder.add_op(op);
  }
  const auto problem = make_problem("eligible", builder.freeze(), Topology::uniform(3), {});
  const DopplerPolicy policy(settings_of({{"refine_simulations", "0"}}), 1);

  const Rollout rollout = policy.rollout(*problem, RolloutSpec{});

  EXPECT_NO_THROW(check_placement(*problem, rollout.placement));
}

TEST(DopplerPolicy, ImitationLearnsTheTeachersDevices) {
  const auto problem = random_problem(40, 3, 6);
  DopplerPolicy policy(settings_of({{"imitation_learning_rate", "0.01"}}), 1);
  const auto share_like_teacher = [&] {
    const auto prepared = policy.prepare(*problem);
    ActSpec greedy;
    greedy.mode = ActSpec::Mode::kGreedy;
    Rng rng(1);
    const Rollout rollout = play_episode(*prepared, policy.settings(), greedy, rng);
    DeviceTimeline timeline(*prepared->view, TimelineRule::kEarliestStart, TimelineType::kDouble);
    std::size_t alike = 0;
    const DecisionLog log(rollout.decisions);
    for (std::size_t i = 0; i < log.size(); ++i) {
      timeline.look_at(log[i].op);
      const auto est = timeline.earliest_start();
      alike += est[log[i].device] <= *std::min_element(est.begin(), est.end()) ? 1 : 0;
      timeline.assign(log[i].device);
    }
    return static_cast<double>(alike) / static_cast<double>(log.size());
  };

  train(policy, *problem, Stage::kImitation, 0, 60);

  EXPECT_GE(share_like_teacher(), 0.9);
}

TEST(DopplerPolicy, SimulationImprovesSampledPlacements) {
  const auto problem = random_problem(40, 3, 6);
  DopplerPolicy policy(settings_of({{"refine_simulations", "8"}, {"learning_rate", "0.01"}}), 1);
  Simulator simulator(*problem);
  const auto mean_of_samples = [&] {
    Rng rng(3);
    double mean = 0.0;
    for (int i = 0; i < 20; ++i) {
      const Rollout rollout =
          play_episode(*policy.prepare(*problem), policy.settings(), ActSpec{}, rng);
      mean += simulator.makespan(rollout.placement.device) / 20.0;
    }
    return mean;
  };
  const double before = mean_of_samples();

  train(policy, *problem, Stage::kSimulation, 0, 80);

  EXPECT_LT(mean_of_samples(), 0.9 * before);
}

TEST(DopplerPolicy, ContinuesBitForBitAfterSaveAndLoad) {
  const auto problem = random_problem(20, 3, 3);
  DopplerPolicy first(settings_of({}), 1);
  train(first, *problem, Stage::kImitation, 0, 2);
  train(first, *problem, Stage::kSimulation, 2, 2);
  RecordedState saved;
  first.save(saved);
  DopplerPolicy second(settings_of({}), 99);

  second.load(saved);
  RecordedState again;
  second.save(again);

  EXPECT_EQ(saved.entries, again.entries);
  train(first, *problem, Stage::kSimulation, 4, 2);
  train(second, *problem, Stage::kSimulation, 4, 2);
  EXPECT_EQ(weights_of(first), weights_of(second));
}

TEST(DopplerPolicy, RecallsTheBestPlacementOfAProblemItWasTrainedOn) {
  const auto problem = random_problem(30, 3, 3);
  const auto other = random_problem(30, 3, 4);
  DopplerPolicy policy(settings_of({{"samples", "0"}, {"search", "0"}, {"heuristics", "false"}}),
                       1);
  Simulator simulator(*problem);
  Placement best{std::vector<DeviceId>(30, to_id<DeviceId>(0)), {}};
  const ProblemView view = make_view(*problem, policy.settings());
  Rng rng(1);
  const double makespan = refine(
      view, simulator, RefineSpec{2000, 0.0}, best.device, simulator.makespan(best.device), rng);
  policy.improved(*problem, 0, best, makespan);
  Evaluator evaluator(*problem);
  Evaluator elsewhere(*other);

  static_cast<void>(policy.place(*problem, evaluator, rng));
  static_cast<void>(policy.place(*other, elsewhere, rng));

  EXPECT_LE(evaluator.best_makespan(), makespan);
  // Greedy rollouts in SEL's order and by arrival, each with and without its order; then what is
  // known, which carries none.
  EXPECT_EQ(evaluator.simulations(), 5U);
  EXPECT_EQ(elsewhere.simulations(), 4U);
}

TEST(DopplerPolicy, ByDefaultIsNeverWorseThanHeftAndSearchesFromTheBest) {
  for (const std::uint64_t seed : {3U, 4U, 5U}) {
    const auto problem = random_problem(30, 3, seed);
    DopplerPolicy untrained(settings_of({}), seed);
    DopplerPolicy alone(settings_of({{"search", "0"}}), seed);
    Rng rng(1);
    Evaluator searched(*problem);
    Evaluator drawn(*problem);
    Evaluator heft(*problem);

    const Placement placement = untrained.place(*problem, searched, rng);
    static_cast<void>(alone.place(*problem, drawn, rng));
    baselines::offer_heft(heft);

    EXPECT_EQ(Simulator(*problem).makespan(placement), searched.best_makespan());
    EXPECT_LE(drawn.best_makespan(), heft.best_makespan());
    EXPECT_LE(searched.best_makespan(), heft.best_makespan());
  }
}

TEST(DopplerPolicy, WithAlmostNoTimeAnswersWithAHeuristicAndDrawsNothing) {
  const auto problem = random_problem(30, 3, 3);
  DopplerPolicy policy(settings_of({}), 1);
  Evaluator hurried(*problem, {.seconds = 1e-9});
  Evaluator heft(*problem, {.seconds = 1e-9});
  Rng rng(1);

  const Placement placement = policy.place(*problem, hurried, rng);
  baselines::offer_heft(heft);

  EXPECT_EQ(placement, heft.best());
  EXPECT_EQ(hurried.simulations(), heft.simulations());
}

TEST(DopplerPolicy, UnderAutoARolloutCarriesItsOrderWhereThatIsFaster) {
  const auto problem = random_problem(30, 3, 3);
  const DopplerPolicy policy(settings_of({{"refine_simulations", "0"}, {"deep", "0"}}), 1);
  Simulator simulator(*problem);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Rollout rollout = policy.rollout(*problem, {to_id<RolloutId>(seed), seed});
    const Placement& placement = rollout.placement;
    if (!placement.order.empty()) {
      EXPECT_LT(simulator.makespan(placement), simulator.makespan(placement.device));
    }
  }
}

TEST(DopplerPolicy, WeightsAlonePlaceAsTheWholeStateDoes) {
  const auto problem = random_problem(30, 3, 3);
  DopplerPolicy trained(settings_of({}), 1);
  train(trained, *problem, Stage::kSimulation, 0, 2);
  RecordedState whole;
  trained.save(whole);
  RecordedState weights;
  save_weights(trained.layout(), trained.parameters(), weights);
  DopplerPolicy other(settings_of({{"recall", "false"}}), 9);

  other.load(weights);

  EXPECT_EQ(weights_of(other), weights_of(trained));
}

TEST(DopplerPolicy, ImitatesTheBestKnownScheduleInItsOwnOrder) {
  const auto problem = random_problem(40, 3, 6);
  DopplerPolicy policy(settings_of({{"teacher", "known"}, {"imitation_learning_rate", "0.01"}}), 1);
  Evaluator heft(*problem);
  baselines::offer_heft(heft);
  policy.improved(*problem, 0, heft.best(), heft.best_makespan());
  const auto greedy = [&] {
    Rng rng(1);
    ActSpec act;
    act.mode = ActSpec::Mode::kGreedy;
    return Simulator(*problem).makespan(
        play_episode(*policy.prepare(*problem), policy.settings(), act, rng).placement);
  };
  const double before = greedy();

  for (std::uint64_t update = 0; update < 60; ++update) {
    const RolloutSpec spec{to_id<RolloutId>(update), update, 0, Stage::kImitation, 0.0};
    const Rollout rollout = policy.demonstrate(*problem, spec);
    const ScoredRollout scored{&rollout, {spec, RolloutStatus::kOk, 1.0, 0.0}};
    std::vector<float> gradient(policy.parameters().size(), 0.0F);
    policy.gradient(*problem, std::span(&scored, 1), gradient);
    policy.step(gradient, {update, Stage::kImitation, 0.0, 1});
  }

  EXPECT_LT(greedy(), before);
  EXPECT_LT(greedy(), 1.25 * heft.best_makespan());
}

TEST(DopplerPolicy, RefusesWeightsOfOnePolicyOverPairsForTwoAndTheOtherWayRound) {
  for (const bool joint : {false, true}) {
    const DopplerPolicy trained(settings_of({{"policy", joint ? "joint" : "both"}}), 1);
    DopplerPolicy same(settings_of({{"policy", joint ? "joint" : "both"}}), 2);
    DopplerPolicy other(settings_of({{"policy", joint ? "both" : "joint"}}), 2);
    RecordedState state;
    trained.save(state);

    EXPECT_THROW(other.load(state), CheckpointError);
    same.load(state);
    EXPECT_EQ(weights_of(same), weights_of(trained));
  }
}

TEST(DopplerPolicy, RefusesWeightsOfAnotherShape) {
  DopplerPolicy wide(settings_of({{"hidden", "16"}}), 1);
  DopplerPolicy narrow(settings_of({{"hidden", "8"}}), 1);
  RecordedState saved;
  wide.save(saved);
  try {
    narrow.load(saved);
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_STREQ(error.what(),
                 "doppler: 'sel/input/weight' of the checkpoint is 16 x 19; these options make it "
                 "8 x 19; it was trained with other options or by an earlier version of the "
                 "policy: use those options, or train anew");
  }
  try {
    narrow.load(RecordedState{});
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_STREQ(error.what(),
                 "doppler: the checkpoint has no 'sel/input/weight'; it was made by another policy "
                 "or with other options");
  }
}

TEST(DopplerPolicy, AblationsReplaceOneOfTheTwoPolicies) {
  const auto problem = random_problem(30, 3, 6);
  const Settings sel_alone = settings_of({{"policy", "sel"}});
  const Settings plc_alone = settings_of({{"policy", "plc"}});
  const DopplerPolicy sel(sel_alone, 1);
  const DopplerPolicy plc(plc_alone, 1);
  Rng rng(4);
  const ProblemView view = make_view(*problem, sel_alone);

  const Rollout earliest = play_episode(*sel.prepare(*problem), sel_alone, {}, rng);
  const Rollout longest = play_episode(*plc.prepare(*problem), plc_alone, {}, rng);

  DeviceTimeline timeline(view, TimelineRule::kEarliestStart, TimelineType::kDouble);
  timeline.merge_empty(true);
  CandidateSet candidates(view.graph);
  std::vector<std::uint32_t> taught;
  for (std::size_t i = 0; i < 30; ++i) {
    const Decision placed = DecisionLog(earliest.decisions)[i];
    timeline.look_at(placed.op);
    teacher_devices(timeline, taught);
    EXPECT_EQ(placed.device, taught.front());
    timeline.assign(placed.device);

    teacher_picks(view, candidates.list(), taught);
    EXPECT_EQ(DecisionLog(longest.decisions)[i].op, candidates.list()[taught.front()]);
    candidates.pick(taught.front());
  }
}

TEST(DopplerPolicy, WeightsServeOtherGraphsAndDeviceCounts) {
  DopplerPolicy policy(settings_of({{"samples", "0"}}), 1);
  train(policy, *random_problem(20, 3, 3), Stage::kSimulation, 0, 1);
  const auto other = random_problem(50, 6, 4);
  Evaluator evaluator(*other);
  Rng rng(1);

  EXPECT_NO_THROW(check_placement(*other, policy.place(*other, evaluator, rng)));
}

TEST(Advantages, AreFreeOfUnitsAndClipped) {
  Advantages advantages(Baseline::kGroup);
  const auto outcome = [](double makespan) {
    return RolloutOutcome{{}, RolloutStatus::kOk, makespan, 0.0};
  };
  std::vector<RolloutOutcome> small = {outcome(1), outcome(2), outcome(3), outcome(2)};
  std::vector<RolloutOutcome> large = {outcome(1e9), outcome(2e9), outcome(3e9), outcome(2e9)};
  large.push_back({{}, RolloutStatus::kTimeout, 0.0, 0.0});

  advantages.assess(small);
  advantages.assess(large);

  // Mean 2, population std sqrt(1/2).
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_NEAR(small[i].advantage, (2.0 - small[i].makespan) * std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(large[i].advantage, small[i].advantage, 1e-12);
  }
  EXPECT_EQ(large.back().advantage, -3.0);
}

TEST(Advantages, RunMeanIncludesTheRolloutItself) {
  Advantages advantages(Baseline::kRunMean);
  std::vector<RolloutOutcome> outcomes = {{{}, RolloutStatus::kOk, 4e10, 0.0},
                                          {{}, RolloutStatus::kOk, 2e10, 0.0}};

  advantages.assess(outcomes);

  EXPECT_EQ(outcomes[0].advantage, 0.0);
  EXPECT_EQ(outcomes[1].advantage, 1.0);
}

}  // namespace
}  // namespace berth::doppler
