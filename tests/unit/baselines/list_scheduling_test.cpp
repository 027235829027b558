// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "critical_path.hpp"
#include "etf.hpp"
#include "example_problems.hpp"
#include "heft.hpp"
#include "mct.hpp"
#include "peft.hpp"
#include "ranks.hpp"

namespace berth::baselines {
namespace {

TEST(Heft, RanksTheTenTaskExampleAsPublished) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);

  const std::vector<double> rank = upward_ranks(*problem);

  // Topcuoglu et al. 2002, table 3.
  const double published[] = {
      108.000, 77.000, 80.000, 80.000, 69.000, 63.333, 42.667, 35.667, 44.333, 14.667};
  for (std::size_t op = 0; op < 10; ++op) {
    EXPECT_NEAR(rank[op], published[op], 5e-4) << "op " << op;
  }
}

TEST(Heft, SchedulesTheTenTaskExampleIn80AndTheReplayAgrees) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);

  EXPECT_EQ(heft_schedule(*problem).makespan(), 80.0);
  EXPECT_EQ(makespan_of(*make_policy(make_heft, kHeftOptions), *problem), 80.0);
}

TEST(Heft, FillsAGapBeforeOpsThatWerePlacedEarlier) {
  // Ops 1 and 2 run on device 1 only, op 0 on device 0 only. Ranks: 19, 8, 5, so op 1 is placed
  // before op 2; it waits for its transfer until 11, and op 2 fits into 0-5 before it.
  GraphBuilder builder("gap");
  for (const std::vector<double>& time :
       {std::vector<double>{1, kCannotRun}, {kCannotRun, 8}, {kCannotRun, 5}}) {
    OpSpec op;
    op.device_time = time;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{1}, 10);
  const auto problem = make_problem("gap", builder.freeze(), Topology::uniform(2), {});

  EXPECT_EQ(heft_schedule(*problem).makespan(), 19.0);
}

TEST(Heft, UnderFifoReturnsNoOrder) {
  const auto problem = ten_tasks(Discipline::kFifo);
  Evaluator evaluator(*problem);
  Rng rng(1);

  EXPECT_TRUE(make_policy(make_heft, kHeftOptions)->place(*problem, evaluator, rng).order.empty());
}

TEST(Heft, SaysWhenMemoryRunsOut) {
  const auto problem = too_big_one_by_one();

  try {
    static_cast<void>(heft_schedule(*problem));
    FAIL() << "expected a SolverError";
  } catch (const SolverError& error) {
    EXPECT_STREQ(error.what(),
                 "heft: no device that can run 'op2' has memory left for it; try another policy or "
                 "larger devices");
  }
}

TEST(Peft, SchedulesTheTenTaskExampleAndTheReplayAgrees) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);

  const double makespan = peft_schedule(*problem).makespan();

  EXPECT_GE(makespan, 73.0);  // the proved optimum
  EXPECT_LE(makespan_of(*make_policy(make_peft), *problem), makespan);
}

TEST(Etf, StartsTheReadyOpThatCanStartFirst) {
  // Two devices. At 0: ops 0 (b-level 9) and 1 (b-level 2). Op 0 -> 2 costs 10 across: op 2 starts
  // at 4 on device 0, after 1 has long run on device 1. 4 + 5 = 9.
  const auto problem = identical_problem({4, 2, 5}, {{0, 2, 10}}, 2);

  EXPECT_EQ(etf_schedule(*problem).makespan(), 9.0);
}

TEST(Mct, TakesWhatIsReadyFirstAndNotWhatIsUrgent) {
  // One device. Ops 0 and 1 are ready at 0, op 2 behind 0 at 2, op 3 behind 1 at 3, long as its
  // path is: 0, 1, 2, 3.
  const auto problem =
      identical_problem({2, 1, 1, 9}, {{0, 2, 0}, {1, 3, 0}}, 1, Discipline::kStaticOrder);

  EXPECT_EQ(mct_schedule(*problem).placement().order, (std::vector<double>{0, 1, 2, 3}));
}

TEST(Mct, PutsAnOpWhereItFinishesFirstTransfersIncluded) {
  // Op 0 (0-4) on device 0, op 1 (0-2) on device 1. Op 2 has its input on device 0 at 4 and on
  // device 1 at 14: 4 + 5 = 9.
  const auto problem = identical_problem({4, 2, 5}, {{0, 2, 10}}, 2);

  EXPECT_EQ(mct_schedule(*problem).makespan(), 9.0);
}

TEST(Mct, OfDevicesThatFinishTogetherTakesTheOneThatFallsIdleFirst) {
  // Ops 0 (0-3) and 1 (0-1) on devices 0 and 1; op 2 can start at 3 on both.
  const auto problem = identical_problem({3, 1, 1}, {{0, 2, 0}}, 2);

  EXPECT_EQ(mct_schedule(*problem).placement().device[2], DeviceId{1});
}

TEST(Mct, WithoutTransferTimesAFifoSystemRunsWhatIsPlanned) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    std::vector<double> work;
    std::vector<ExampleEdge> edges;
    for (std::uint32_t v = 0; v < 40; ++v) {
      work.push_back(1.0 + static_cast<double>(rng.below(1000)));
      for (std::uint64_t inputs = v > 0 ? rng.below(3) : 0; inputs > 0; --inputs) {
        edges.push_back({static_cast<std::uint32_t>(rng.below(v)), v, 0.0});
      }
    }
    const auto problem = identical_problem(work, edges, 3, Discipline::kFifo);

    const PartialSchedule schedule = mct_schedule(*problem);

    EXPECT_EQ(Simulator(*problem).makespan(schedule.placement().device), schedule.makespan())
        << seed;
  }
}

TEST(Mct, SaysWhenMemoryRunsOut) {
  EXPECT_THROW(static_cast<void>(mct_schedule(*too_big_one_by_one())), SolverError);
}

TEST(CriticalPath, TakesTheLargestBottomLevelFirst) {
  // b-levels: 1 + 1 = 2 for ops 0 and 1 in front of nothing; 3 + 2 + 4 = 9 for op 2. On one device
  // by b-level: 2, 3, then 0, 1; every order takes the sum 1 + 1 + 3 + 4 = 9.
  const auto problem = identical_problem({1, 1, 3, 4}, {{2, 3, 2}}, 2);
  Rng rng(1);

  const PartialSchedule schedule =
      critical_path_schedule(*problem, {.ties = CriticalPathRules::Ties::kLowest}, rng);

  // Op 2 (0-3 on device 0), op 3 there 3-7; ops 0 and 1 on device 1.
  EXPECT_EQ(schedule.makespan(), 7.0);
  EXPECT_EQ(schedule.placement().device,
            (std::vector<DeviceId>{DeviceId{1}, DeviceId{1}, DeviceId{0}, DeviceId{0}}));
}

TEST(CriticalPath, ByTheReferencesRulesTakesTheOldestAndStartsAtTheLoad) {
  const auto problem = identical_problem({1, 1, 3, 4}, {{2, 3, 2}}, 2);
  Rng rng(1);
  CriticalPathRules rules;
  rules.ties = CriticalPathRules::Ties::kLowest;
  rules.timeline = CriticalPathRules::Timeline::kLoad;
  rules.node_rule = CriticalPathRules::NodeRule::kOldest;

  const PartialSchedule schedule = critical_path_schedule(*problem, rules, rng);

  // Op 0 on device 0 (0-1), op 1 on device 1 (0-1), op 2 on device 0 (1-4). Op 3 can start at
  // max(4, 4) on device 0 and at max(1, 4 + 2) on device 1: device 0, until 8.
  EXPECT_EQ(schedule.makespan(), 8.0);
}

TEST(CriticalPath, KeepsTheBestOfItsRuns) {
  const auto problem = ten_tasks(Discipline::kFifo);

  const double one = makespan_of(
      *make_policy(make_critical_path, kCriticalPathOptions, {{"ties", "lowest"}}), *problem);
  const double many = makespan_of(
      *make_policy(make_critical_path, kCriticalPathOptions, {{"runs", "200"}}), *problem);

  EXPECT_LE(many, one);
}

}  // namespace
}  // namespace berth::baselines
