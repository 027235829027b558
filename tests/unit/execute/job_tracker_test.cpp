// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute/job_tracker.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "checkpoints/state_recorder.hpp"

namespace berth::launcher {
namespace {

using Choice = std::vector<std::vector<std::uint32_t>>;  // nodes of each job

class FixedScheduler final : public ClusterScheduler {
 public:
  explicit FixedScheduler(Choice choice) : choice_(std::move(choice)) {}

  RoundSchedule schedule(const RoundContext& context) override {
    RoundSchedule schedule;
    for (const JobState& job : context.jobs) {
      for (const std::uint32_t node : choice_[index(job.id)]) {
        schedule.assignments.push_back({job.id, {to_id<GpuId>(node)}});
      }
    }
    return schedule;
  }

 private:
  Choice choice_;
};

/// Two nodes believed alike and one of half their speed; `jobs` jobs of 1000 steps.
Mix mix_of(bool step_counted, std::size_t jobs) {
  Mix mix;
  mix.options = Config(mix_options());
  mix.options.set(step_counted ? "slot_steps" : "slot_seconds", step_counted ? "100" : "10.01");
  for (const double gflops : {2.0, 2.0, 1.0}) {
    MixNode node;
    node.name = "n" + std::to_string(mix.nodes.size());
    node.gflops = node.gbps = gflops;
    mix.nodes.push_back(node);
  }
  for (std::size_t i = 0; i < jobs; ++i) {
    MixJob job;
    job.name = "j" + std::to_string(i);
    job.steps = 1000;
    mix.jobs.push_back(job);
  }
  return mix;
}

std::vector<JobFacts> facts_of(std::size_t jobs) {
  JobFacts facts;
  facts.size = {1e7, 10.0, 1, 100};  // 0.1e9 x 2 / 1e7 = 20 steps/s believed of a node of 2
  facts.tensors = {{"w", TensorRole::kParameter, {2}}};
  facts.steps = 1000;
  facts.state = {1.0F, 2.0F};
  return std::vector<JobFacts>(jobs, facts);
}

CopyReport report_of(std::uint64_t steps, double seconds) {
  CopyReport report;
  report.steps = steps;
  report.seconds = seconds;
  report.mean_loss = 0.5;
  report.schedule_steps = report.optimizer_steps = steps;
  return report;
}

const std::vector<std::vector<float>> kStates(3, {3.0F, 5.0F});

TEST(JobTracker, DividesACountedSlotByBelievedRates) {
  const Mix mix = mix_of(true, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  FixedScheduler scheduler(Choice{{0, 1, 2}});

  const SlotOrders orders = tracker.plan(scheduler);

  // 100 steps on the fastest, 50 on one half as fast; samples one behind the other.
  EXPECT_EQ(orders.nodes[0].steps, 100U);
  EXPECT_EQ(orders.nodes[1].steps, 100U);
  EXPECT_EQ(orders.nodes[2].steps, 50U);
  EXPECT_EQ(orders.nodes[0].first_step, 0U);
  EXPECT_EQ(orders.nodes[1].first_step, 100U);
  EXPECT_EQ(orders.nodes[2].first_step, 200U);
  EXPECT_EQ(orders.nodes[2].seconds, 0.0);
}

TEST(JobTracker, TheLastSlotsStepsSumExactlyToWhatRemains) {
  const Mix mix = mix_of(true, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  FixedScheduler scheduler(Choice{{0, 1, 2}});
  std::uint64_t sum = 0;
  for (int round = 0; !tracker.is_done() && round < 20; ++round) {
    const SlotOrders orders = tracker.plan(scheduler);
    std::vector<CopyReport> reports;
    for (const CopyOrder& order : orders.nodes) {
      reports.push_back(report_of(order.steps, 1.0));
      sum += order.steps;
    }
    tracker.apply(orders, reports, kStates, 0.0);
  }

  EXPECT_TRUE(tracker.is_done());
  EXPECT_EQ(sum, 1000U);
  // 250 steps in 100 / 20 = 5 s, four slots.
  EXPECT_NEAR(tracker.jobs()[0].finish_seconds, 20.0, 1e-6);
  EXPECT_NEAR(tracker.busy_seconds()[2], 20.0, 1e-6);
}

TEST(JobTracker, ByTheClockNoJobGetsMoreStepsThanRemainAndSpareOnesAreSharedOut) {
  const Mix mix = mix_of(false, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  FixedScheduler scheduler(Choice{{0, 1, 2}});

  const SlotOrders orders = tracker.plan(scheduler);

  // Planned 200, 200, 100 in 10.01 s; the other 500 on top, in proportion.
  EXPECT_EQ(orders.nodes[0].planned, 200U);
  EXPECT_EQ(orders.nodes[2].planned, 100U);
  const std::uint64_t sum = orders.nodes[0].steps + orders.nodes[1].steps + orders.nodes[2].steps;
  EXPECT_LE(sum, 1000U);
  EXPECT_GE(sum, 997U);
  EXPECT_EQ(orders.nodes[0].seconds, 10.01);
}

TEST(JobTracker, TheFirstMeasurementReplacesTheEstimateThenRatesAreAveraged) {
  const Mix mix = mix_of(false, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  FixedScheduler scheduler(Choice{{0, 1}});
  EXPECT_NEAR(tracker.jobs()[0].rates[0], 20.0, 1e-9);
  EXPECT_NEAR(tracker.jobs()[0].rates[2], 10.0, 1e-9);

  const auto play = [&](std::uint64_t steps) {
    const SlotOrders orders = tracker.plan(scheduler);
    const std::vector<CopyReport> reports = {report_of(steps, 10.0), report_of(80, 10.0), {}};
    tracker.apply(orders, reports, kStates, 0.0);
  };
  play(160);
  EXPECT_NEAR(tracker.jobs()[0].rates[0], 16.0, 1e-9);
  EXPECT_NEAR(tracker.jobs()[0].rates[1], 8.0, 1e-9);
  // The node that was never measured follows the fit: no longer 10, since both others were slower.
  EXPECT_LT(tracker.jobs()[0].rates[2], 8.0);
  play(120);

  EXPECT_NEAR(tracker.jobs()[0].rates[0], 14.0, 1e-9);  // half of 16 and half of 12
  EXPECT_EQ(tracker.jobs()[0].measured[0], 2U);
  EXPECT_NEAR(tracker.jobs()[0].estimates[0], 20.0, 1e-9);
}

TEST(JobTracker, ALostCopyCountsNothingAndItsStepsAreMadeLater) {
  const Mix mix = mix_of(true, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  FixedScheduler scheduler(Choice{{0, 1}});
  const SlotOrders orders = tracker.plan(scheduler);
  std::vector<CopyReport> reports = {report_of(100, 1.0), report_of(100, 1.0), {}};
  reports[1].failure = "lost";
  const std::vector<std::vector<float>> states = {{3.0F, 5.0F}, {}, {}};

  tracker.apply(orders, reports, states, 0.0);

  EXPECT_EQ(tracker.jobs()[0].remaining, 900U);
  EXPECT_EQ(tracker.jobs()[0].facts.state, states[0]);
  EXPECT_EQ(tracker.copies()[0].omega, 1.0);
  EXPECT_EQ(tracker.copies()[1].omega, 0.0);
  EXPECT_TRUE(tracker.copies()[1].failed);
}

TEST(JobTracker, AJobWhoseCopiesAllFailThreeTimesEndsTheRunWithTheReason) {
  const Mix mix = mix_of(true, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  FixedScheduler scheduler(Choice{{0}});
  std::vector<CopyReport> reports(3);
  reports[0].failure = "no luck";
  const auto play = [&] {
    const SlotOrders orders = tracker.plan(scheduler);
    tracker.apply(orders, reports, kStates, 0.0);
  };
  play();
  play();

  try {
    play();
    FAIL() << "expected a failure";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "job 'j0': no copy counted in 3 rounds in a row; the last: no luck");
  }
}

TEST(JobTracker, RefusesASchedulerThatGivesANodeTwiceOrNone) {
  const Mix mix = mix_of(true, 2);
  JobTracker tracker(mix, facts_of(2), 3);
  FixedScheduler twice(Choice{{0}, {0}});
  FixedScheduler absent(Choice{{3}, {}});
  FixedScheduler idle(Choice{{}, {}});

  EXPECT_THROW(static_cast<void>(tracker.plan(twice)), PluginError);
  EXPECT_THROW(static_cast<void>(tracker.plan(absent)), PluginError);
  EXPECT_THROW(static_cast<void>(tracker.plan(idle)), RunError);
}

TEST(JobTracker, ContinuesFromItsStateWithTheSameOrders) {
  const Mix mix = mix_of(false, 2);
  JobTracker tracker(mix, facts_of(2), 3);
  FixedScheduler scheduler(Choice{{0, 2}, {1}});
  for (int round = 0; round < 2; ++round) {
    const SlotOrders orders = tracker.plan(scheduler);
    const std::vector<CopyReport> reports = {
        report_of(111, 9.5), report_of(77, 9.0), report_of(50, 10.0)};
    tracker.apply(orders, reports, kStates, 0.25);
    tracker.note_score({static_cast<std::uint64_t>(round), 0, 10, 1.5, 0.25, 0.5, 0.75});
  }
  checkpoints::State saved;
  checkpoints::StateRecorder recorder(saved, "");
  tracker.save(recorder);

  JobTracker other(mix, facts_of(2), 3);
  other.load(checkpoints::StateReplay(saved, "", "test"));

  EXPECT_EQ(encode(other.plan(scheduler)), encode(tracker.plan(scheduler)));
  checkpoints::State again;
  checkpoints::StateRecorder again_recorder(again, "");
  other.save(again_recorder);
  EXPECT_EQ(again, saved);
  EXPECT_EQ(other.clock_seconds(), tracker.clock_seconds());
}

TEST(JobTracker, RefusesAStateWhoseChecksumIsWrongOrOfOtherJobs) {
  const Mix mix = mix_of(true, 1);
  JobTracker tracker(mix, facts_of(1), 3);
  checkpoints::State saved;
  checkpoints::StateRecorder recorder(saved, "");
  tracker.save(recorder);
  const Mix two = mix_of(true, 2);
  JobTracker other(two, facts_of(2), 3);

  EXPECT_THROW(other.load(checkpoints::StateReplay(saved, "", "test")), CheckpointError);
  saved.at("job/0/round/0/theta/w").float32[1] += 1e-3F;
  EXPECT_THROW(tracker.load(checkpoints::StateReplay(saved, "", "test")), CheckpointError);
}

}  // namespace
}  // namespace berth::launcher
