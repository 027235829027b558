// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "calibration/calibration.hpp"
#include "calibration/calibration_rounds.hpp"
#include "quartiles.hpp"

namespace berth::launcher {
namespace {

/// Each call takes a second more; device 9 is always too late.
class Counter final : public DeviceExecutor {
 public:
  double makespan(const Placement&) override { return 0.0; }
  Trace trace(const Placement&) override { return {}; }
  Measurement measure(const Placement& placement, const MeasureSpec& spec) override {
    Measurement found;
    calls.push_back(static_cast<unsigned>(placement.device.front()));
    placements.push_back(placement.device);
    if (calls.back() == 9) {
      found.status = RolloutStatus::kTimeout;
      found.reason = "late";
      return found;
    }
    found.seconds.assign(spec.repeats, static_cast<double>(calls.size()));
    found.median_seconds = found.seconds.front();
    return found;
  }
  Trace last_trace() const override { return {}; }
  std::vector<float> output(OpId) const override { return {}; }
  std::string description() const override { return "counter"; }

  std::vector<unsigned> calls;
  std::vector<std::vector<DeviceId>> placements;
};

/// Ops of a second on devices that are all linked.
std::shared_ptr<const PlacementProblem> equal_ops(std::size_t ops, std::uint32_t devices) {
  GraphBuilder graph("equal ops");
  graph.cost_basis(CostBasis::kTime, 1.0);
  OpSpec op;
  op.work = 1.0;
  for (std::size_t v = 0; v < ops; ++v) {
    graph.add_op(op);
  }
  TopologyBuilder topology("linked");
  for (std::uint32_t d = 0; d < devices; ++d) {
    topology.add_device({});
  }
  const LinkId link = topology.add_link({"link", BytesPerSecond{1.0}, Seconds{0.0}});
  for (std::uint32_t from = 0; from < devices; ++from) {
    for (std::uint32_t to = 0; to < devices; ++to) {
      if (from != to) {
        topology.route(DeviceId{from}, DeviceId{to}, {link});
      }
    }
  }
  return make_problem("equal ops", graph.freeze(), topology.freeze(), {});
}

TEST(ExecuteRounds, GoForthAndBackAndLeaveOutWhatFailed) {
  const std::vector<Placement> placements = {
      {{DeviceId{1}}, {}}, {{DeviceId{9}}, {}}, {{DeviceId{2}}, {}}};
  Counter executor;

  const auto found = measure_in_turn(placements, executor, {1, 3, 0.0});

  EXPECT_EQ(executor.calls, (std::vector<unsigned>{1, 9, 2, 2, 1, 1, 2}));
  EXPECT_EQ(found[0].seconds, (std::vector<double>{1, 5, 6}));
  EXPECT_EQ(found[0].median_seconds, 5.0);
  EXPECT_EQ(found[1].status, RolloutStatus::kTimeout);
  EXPECT_EQ(found[1].reason, "late");
  EXPECT_EQ(found[2].seconds, (std::vector<double>{3, 4, 7}));
  // Rounds: 3 / 1, 4 / 5, 7 / 6.
  EXPECT_DOUBLE_EQ(paired_ratio(found[2].seconds, found[0].seconds), 7.0 / 6.0);
}

TEST(Quartiles, LieBetweenNeighbours) {
  const Quartiles quartiles = quartiles_of({4, 1, 3, 2});

  EXPECT_DOUBLE_EQ(quartiles.first, 1.75);
  EXPECT_DOUBLE_EQ(quartiles.median, 2.5);
  EXPECT_DOUBLE_EQ(quartiles.third, 3.25);
}

TEST(Calibration, RoundsAreBroughtToOneMedian) {
  // Medians of the rounds 2 and 4, of these 3: factors 1.5 and 0.75.
  std::vector<std::vector<double>> seconds = {{1, 4}, {2, 2}, {3, 6}};

  level_rounds(seconds);

  EXPECT_EQ(seconds, (std::vector<std::vector<double>>{{1.5, 3}, {3, 1.5}, {4.5, 4.5}}));
}

TEST(Calibration, TheCeilingIsTheRootOfTheReliabilityOfAllRounds) {
  EXPECT_DOUBLE_EQ(best_rank(1.0), 1.0);
  EXPECT_DOUBLE_EQ(best_rank(0.0), 0.0);
  EXPECT_DOUBLE_EQ(best_rank(-0.3), 0.0);
  EXPECT_DOUBLE_EQ(best_rank(0.5), std::sqrt(2.0 / 3.0));
}

TEST(Calibration, EveryRoundHasAllThatIsComparedAndAShareOfWhatIsFitted) {
  const auto problem = equal_ops(40, 2);
  Counter executor;
  CalibrationSpec spec;
  spec.fitted = 5;
  spec.compared = 6;
  spec.measure = {1, 3, 0.0};

  const CalibrationRounds rounds = run_rounds(*problem, executor, spec);

  std::map<std::vector<DeviceId>, char> kind;  // 40 ops: no two placements are alike
  for (const TimedPlacement& row : rounds.alone) {
    kind[row.placement.device] = 'a';
    EXPECT_EQ(row.seconds.size(), 3U);
    EXPECT_EQ(row.traces.size(), 3U);
  }
  for (const TimedPlacement& row : rounds.fitted) {
    kind[row.placement.device] = 'f';
    EXPECT_EQ(row.seconds.size(), 1U);
    EXPECT_EQ(row.traces.size(), 1U);
  }
  for (const TimedPlacement& row : rounds.compared) {
    kind[row.placement.device] = '.';
    EXPECT_EQ(row.seconds.size(), 3U);
    EXPECT_TRUE(row.traces.empty());
  }
  ASSERT_EQ(kind.size(), 2U + 5U + 6U);
  std::string order;
  for (const auto& placement : executor.placements) {
    order.push_back(kind.at(placement));
  }
  // Compared ones at 1/12, 3/12, ... of a round, all on one device at 1/4 and 3/4, fitted ones at
  // 3/10 and 9/10; the second round goes back.
  EXPECT_EQ(order.substr(0, 10), ".a.f..a.f.");
  EXPECT_EQ(order.substr(10, 10), ".f.a..f.a.");
  EXPECT_EQ(order.substr(20), ".a.f..a..");
  const auto compared = [&](std::size_t begin, std::size_t end) {
    std::vector<std::vector<DeviceId>> found(executor.placements.begin() + begin,
                                             executor.placements.begin() + end);
    std::erase_if(found, [&](const auto& placement) { return kind.at(placement) != '.'; });
    return found;
  };
  auto back = compared(10, 20);
  std::ranges::reverse(back);
  EXPECT_EQ(compared(0, 10), back);
  EXPECT_EQ(compared(0, 10), compared(20, executor.placements.size()));
}

TEST(Calibration, WhatFailsIsNotRunAgain) {
  const auto problem = equal_ops(1, 10);
  Counter executor;
  CalibrationSpec spec;
  spec.fitted = 0;
  spec.compared = 2;
  spec.measure = {1, 4, 0.0};

  const CalibrationRounds rounds = run_rounds(*problem, executor, spec);

  EXPECT_TRUE(rounds.alone[9].failed);
  EXPECT_EQ(rounds.reason, "late");
  EXPECT_EQ(rounds.alone[8].seconds.size(), 4U);
  const auto failed = std::ranges::count_if(rounds.compared, &TimedPlacement::failed);
  EXPECT_EQ(std::ranges::count(executor.calls, 9U), 1 + failed);
}

TEST(Calibration, VariedIsTheMedianOfSimulationsWhoseOpsVary) {
  // Factors of mean 1 whose logarithm has the deviation 0.3 and so the mean -0.045. Side by side
  // the longer of two counts, whose median is a factor's quantile at the root of 1/2, 0.5449
  // deviations: exp(0.1185) s. One after the other takes twice 1 s, less by some 2 % in the median.
  const auto problem = equal_ops(2, 2);
  Calibration found;
  found.variation = 0.3;
  found.placements = {{{DeviceId{0}, DeviceId{1}}, {}}, {{DeviceId{0}, DeviceId{0}}, {}}};
  found.measured_seconds = {std::exp(0.1185), 1.96};

  const Agreement varied = agreement_of_varied(*problem, found);

  EXPECT_LT(varied.mean_error, 0.05);
  EXPECT_GT(agreement(*problem, found).mean_error, 0.06);
  found.variation = 1e9;  // no model of anything, but no reason to lose a report
  EXPECT_GT(agreement_of_varied(*problem, found).mean_error, 0.05);
}

TEST(Calibration, RunByRunIsTheMedianOfASimulationForEachRun) {
  const auto problem = equal_ops(2, 2);
  // One op takes 1 s and the other 3, in turn; beside each other that is 3 s, not the 2 of medians.
  Calibration found;
  // A run in which the host was elsewhere counts for no more than any other.
  found.run_seconds = {{1, 1, 3, 3}, {3, 3, 1, 1}, {1, 1, 90, 90}};
  found.placements = {{{DeviceId{0}, DeviceId{1}}, {}}, {{DeviceId{0}, DeviceId{0}}, {}}};
  found.measured_seconds = {3.0, 5.0};

  const Agreement by_runs = agreement_by_runs(*problem, found);

  EXPECT_DOUBLE_EQ(by_runs.rank, 1.0);
  EXPECT_DOUBLE_EQ(by_runs.mean_error, 0.5 * (0.0 + 0.2));
  EXPECT_DOUBLE_EQ(by_runs.mean_ratio, 0.5 * (1.0 + 0.8));
}

}  // namespace
}  // namespace berth::launcher
