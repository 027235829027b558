// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute_rounds.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "calibration/calibration.hpp"

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
};

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

TEST(Calibration, RunByRunIsTheMeanOfASimulationForEachRun) {
  GraphBuilder graph("two ops");
  graph.cost_basis(CostBasis::kTime, 1.0);
  graph.add_op({});
  graph.add_op({});
  TopologyBuilder topology("two");
  topology.add_device({});
  topology.add_device({});
  const LinkId link = topology.add_link({"link", BytesPerSecond{1.0}, Seconds{0.0}});
  topology.route(DeviceId{0}, DeviceId{1}, {link});
  topology.route(DeviceId{1}, DeviceId{0}, {link});
  const auto problem = make_problem("two ops", graph.freeze(), topology.freeze(), {});
  // One op takes 1 s and the other 3, in turn; beside each other that is 3 s, not the 2 of medians.
  Calibration found;
  found.run_seconds = {{1, 1, 3, 3}, {3, 3, 1, 1}};
  found.placements = {{{DeviceId{0}, DeviceId{1}}, {}}, {{DeviceId{0}, DeviceId{0}}, {}}};
  found.measured_seconds = {3.0, 5.0};

  const Agreement by_runs = agreement_by_runs(*problem, found);

  EXPECT_DOUBLE_EQ(by_runs.rank, 1.0);
  EXPECT_DOUBLE_EQ(by_runs.mean_error, 0.5 * (0.0 + 0.2));
  EXPECT_DOUBLE_EQ(by_runs.mean_ratio, 0.5 * (1.0 + 0.8));
}

}  // namespace
}  // namespace berth::launcher
