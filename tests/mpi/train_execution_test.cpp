// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "train_process.hpp"

namespace berth::testing {
namespace {

using nlohmann::json;

/// The simulator takes the devices for equal; on the clock every op on device 0 costs 2 s more.
constexpr const char* kMeasuredCampaign = R"toml(policy = "table"
seed = 5
rollouts = 12
group_size = 3
checkpoint_every = 4
incumbents = ""
executor = "clock(toll=2)"
executor_ranks = 2
explore_bound = 0.5
run_timeout = 0
problems = [
  { graph = "a.json", topology = "uniform:3" },
  { graph = "b.json", topology = "uniform:2" },
]

[[stages]]
kind = "simulation"
updates = 8

[[stages]]
kind = "execution"
updates = 12

[table]
ops = 8
)toml";

const std::vector<std::string> kFiles = {"/checkpoints/latest.h5",
                                         "/checkpoints/best.h5",
                                         "/best_placement.json",
                                         "/best_placement_1.json"};

class TrainExecution : public ::testing::Test {
 protected:
  TrainExecution() { fixture_.write("campaign.toml", kMeasuredCampaign); }

  [[nodiscard]] std::vector<std::string> with_clock(std::vector<std::string> more) const {
    more.insert(more.end(), {"--plugin", BERTH_CLOCK_PLUGIN});
    return more;
  }
  [[nodiscard]] Finished train(int ranks,
                               const std::string& run,
                               const std::vector<std::string>& more = {}) const {
    return fixture_.train(ranks, run, with_clock(more));
  }
  /// Metrics of the updates that measured.
  [[nodiscard]] std::vector<json> trials(const std::string& run) const {
    std::istringstream in(fixture_.content(run + "/metrics.jsonl"));
    std::vector<json> found;
    for (std::string line; std::getline(in, line);) {
      const json update = json::parse(line);
      if (update.contains("trials")) {
        found.push_back(update);
      }
    }
    return found;
  }
  /// Metrics without what depends on who measured what.
  [[nodiscard]] std::string rankless_metrics(const std::string& run) const {
    std::istringstream in(fixture_.timeless_metrics(run));
    std::string text;
    for (std::string line; std::getline(in, line);) {
      json update = json::parse(line);
      if (update.contains("trials")) {
        for (json& row : update["trials"]) {
          row.erase("runs");
        }
      }
      text += update.dump() + "\n";
    }
    return text;
  }
  [[nodiscard]] std::uint64_t sum(const std::string& run, const std::string& key) const {
    std::uint64_t total = 0;
    for (const json& update : trials(run)) {
      for (const json& row : update.at("trials")) {
        total += row.at(key).get<std::uint64_t>();
      }
    }
    return total;
  }

  TrainFixture fixture_;
};

TEST_F(TrainExecution, EqualTimesGiveTheSameBytesForAnyNumberOfRanks) {
  ASSERT_EQ(train(0, "alone").code, 0) << fixture_.content("alone-log.err");

  for (const int ranks : {2, 3}) {
    const std::string run = std::to_string(ranks) + "-ranks";
    ASSERT_EQ(train(ranks, run).code, 0) << fixture_.content(run + "-log.err");
    for (const std::string& name : kFiles) {
      EXPECT_FALSE(fixture_.content(run + name).empty()) << name;
      EXPECT_TRUE(fixture_.content(run + name) == fixture_.content("alone" + name)) << run << name;
    }
    EXPECT_EQ(rankless_metrics(run), rankless_metrics("alone")) << run;
  }
}

TEST_F(TrainExecution, RanksThatMeasureInGroupsFindTheSame) {
  ASSERT_EQ(train(0, "alone").code, 0) << fixture_.content("alone-log.err");
  const std::vector<std::string> groups = {
      "--executor", "group-clock(toll=2)", "--executor-ranks", "4", "--executor-group", "2"};

  for (const int ranks : {4, 5}) {
    const std::string run = std::to_string(ranks) + "-ranks";
    const Finished many = train(ranks, run, groups);
    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_NE(many.err.find("measures: a clock of 2 ranks"), std::string::npos) << many.err;
    for (const std::string name : {"/best_placement.json", "/best_placement_1.json"}) {
      EXPECT_FALSE(fixture_.content(run + name).empty()) << name;
      EXPECT_TRUE(fixture_.content(run + name) == fixture_.content("alone" + name)) << run << name;
    }
    EXPECT_EQ(rankless_metrics(run), rankless_metrics("alone")) << run;
  }
}

TEST_F(TrainExecution, AGroupThatCannotBeOpenedOrIsNotWholeEndsTheRun) {
  const Finished closed = train(
      2,
      "closed",
      {"--executor", "group-clock(closed_at=1)", "--executor-ranks", "2", "--executor-group", "2"});
  EXPECT_EQ(closed.code, 1) << closed.err;
  EXPECT_NE(closed.err.find("no devices here"), std::string::npos) << closed.err;

  const Finished odd = train(2, "odd", {"--executor-ranks", "1", "--executor-group", "2"});
  EXPECT_EQ(odd.code, 2) << odd.err;
  EXPECT_NE(odd.err.find("executor_group is 2, and 1 of 2 ranks measure"), std::string::npos)
      << odd.err;

  const Finished lone = train(2, "lone", {"--executor-ranks", "2", "--executor-group", "2"});
  EXPECT_EQ(lone.code, 2) << lone.err;
  EXPECT_NE(lone.err.find("executor 'clock' runs a placement within one process, not 2 ranks"),
            std::string::npos)
      << lone.err;
}

TEST_F(TrainExecution, FindsWhatTheSimulatorCannotSeeAndReportsTheRegret) {
  const Finished run = train(2, "run", {"--json"});

  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("berth: rank 1 measures: a clock"), std::string::npos) << run.err;
  for (const json& problem : json::parse(run.out).at("problems")) {
    const json& measured = problem.at("measured");
    EXPECT_GE(measured.at("adopted"), 1);
    EXPECT_LT(measured.at("seconds"), measured.at("first_seconds"));
  }
  ASSERT_EQ(trials("run").size(), 12U);
  for (const json& update : trials("run")) {
    double regret = 0.0;
    for (const json& row : update.at("trials")) {
      regret += row.at("regret").get<double>();
      // Times are those of the clock: nothing beyond the limit of three times the incumbent's.
      EXPECT_LE(row.at("worst_regret"), 2.0);
      for (const json& ran : row.at("runs")) {
        if (ran.contains("rollout")) {
          EXPECT_EQ(ran.at("seconds").size(), 3U);
        }
      }
    }
    EXPECT_DOUBLE_EQ(update.at("regret"), regret);
  }
}

TEST_F(TrainExecution, StartsFromWhatRunsNow) {
  std::string campaign = kMeasuredCampaign;
  const std::string problem = R"toml({ graph = "b.json", topology = "uniform:2")toml";
  campaign.insert(campaign.find(problem) + problem.size(), ", incumbent = \"now.txt\"");
  fixture_.write("campaign.toml", campaign);
  fixture_.write("now.txt", "0,0,0,0\n");
  const Finished run = train(0, "run", {"--json", "--explore-bound", "9"});
  fixture_.write("now.txt", "0,0,0,0\n1,1,1,1\n");
  const Finished two = train(0, "two");

  ASSERT_EQ(run.code, 0) << run.err;
  // 7 + 2 + 2 + 3 on one device and four times the toll.
  const json measured = json::parse(run.out).at("problems").at(1).at("measured");
  EXPECT_EQ(measured.at("first_seconds"), 14.0 + 4.0 * 2.0);
  EXPECT_LT(measured.at("seconds"), 22.0);
  EXPECT_EQ(two.code, 2) << two.err;
  EXPECT_NE(two.err.find("now.txt: 2 placements; expected the one that runs now"),
            std::string::npos)
      << two.err;
}

TEST_F(TrainExecution, TheBoundKeepsSlowPlacementsFromRunning) {
  ASSERT_EQ(train(0, "run", {"--explore-bound", "0"}).code, 0);
  ASSERT_EQ(train(0, "most", {"--explore-most", "1"}).code, 0);

  EXPECT_GT(sum("run", "screened"), 0U);
  EXPECT_GT(sum("most", "screened"), 0U);
  EXPECT_LE(sum("most", "measured"), 2U * 12U);  // of two problems, in 12 updates
}

TEST_F(TrainExecution, ATimeOutAndFullMemoryAreScoresNotFailures) {
  const Finished late = train(2, "late", {"--explore-limit", "1.05", "--explore-bound", "9"});
  const Finished full = train(2, "full", {"--executor", "clock(toll=2,room=3)"});

  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_GT(sum("late", "timed_out"), 0U);
  EXPECT_EQ(full.code, 0) << full.err;
  EXPECT_GT(sum("full", "out_of_memory"), 0U);
  for (const json& update : trials("full")) {
    EXPECT_EQ(update.at("failed"), 0);
  }
}

TEST_F(TrainExecution, ATimeThatIsNoNumberIsRejectedByName) {
  const Finished run = train(
      0,
      "run",
      {"--executor", "clock(nan_at=2)", "--measure-repeats", "1", "--max-failed-rollouts", "0.5"});

  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("rejected rollout "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("policy version 8): plugin 'clock'"), std::string::npos) << run.err;
}

TEST_F(TrainExecution, AKilledExecutorEndsTheJobAndTheRunResumesByteForByte) {
  ASSERT_EQ(train(2, "whole").code, 0) << fixture_.content("whole-log.err");
  ASSERT_EQ(::setenv("BERTH_TEST_DIE_AT", "150", 1), 0);
  const Finished killed = train(2, "run");
  ASSERT_EQ(::unsetenv("BERTH_TEST_DIE_AT"), 0);

  const Finished resumed = train(2, "run", {"--resume"});

  EXPECT_NE(killed.code, 0);
  EXPECT_NE(killed.err.find("signal 9"), std::string::npos) << killed.err;
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  for (const std::string& name : kFiles) {
    EXPECT_TRUE(fixture_.content("run" + name) == fixture_.content("whole" + name)) << name;
  }
  EXPECT_EQ(fixture_.timeless_metrics("run"), fixture_.timeless_metrics("whole"));
}

TEST_F(TrainExecution, BadInputIsOneLine) {
  const Finished unknown = train(2, "unknown", {"--executor", "sundial"});
  const Finished option = train(0, "option", {"--executor", "clock(tall=1)"});
  const Finished full = train(0, "full", {"--executor", "clock(room=0)"});

  EXPECT_EQ(unknown.code, 3) << unknown.err;
  EXPECT_NE(unknown.err.find("sundial"), std::string::npos) << unknown.err;
  EXPECT_EQ(option.code, 2) << option.err;
  EXPECT_NE(option.err.find("toll"), std::string::npos) << option.err;
  EXPECT_EQ(full.code, 1) << full.err;
  EXPECT_NE(full.err.find("does not run: device 1 is full"), std::string::npos) << full.err;
}

}  // namespace
}  // namespace berth::testing
