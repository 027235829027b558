// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// `berth execute` under mpirun: placements that span ranks.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <gtest/gtest.h>

#include "train_process.hpp"

namespace berth::testing {
namespace {

class ExecuteRanks : public ::testing::Test {
 protected:
  ExecuteRanks() { ::setenv("BERTH_TEST_RESULTS", (folder_ / "results").c_str(), 1); }
  ~ExecuteRanks() override { ::unsetenv("BERTH_TEST_RESULTS"); }

  /// Runs two placements on four devices; 0 ranks: without mpirun.
  [[nodiscard]] Finished execute(int ranks,
                                 const std::string& executor,
                                 const std::vector<std::string>& more = {},
                                 const std::string& policies = "round-robin,heft") const {
    std::filesystem::remove(folder_ / "results");
    std::vector<std::string> words = {"execute",
                                      "workload:llama-layer:4:physical:s16h24n4d8f40v32",
                                      "--topology",
                                      "uniform:4",
                                      "--executor",
                                      executor,
                                      "--policies",
                                      policies,
                                      "--streams",
                                      "2",
                                      "--repeats",
                                      "2",
                                      "--plugin",
                                      BERTH_WIRE_PLUGIN};
    words.insert(words.end(), more.begin(), more.end());
    return Process(berth_words(ranks, words), folder_ / "log").wait();
  }
  [[nodiscard]] std::string results() const { return folder_.content("results"); }

  const RunFolder folder_{"ranks"};
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST_F(ExecuteRanks, RanksShareTheDevicesAndComputeWhatOneProcessDoes) {
  const Finished alone = execute(0, "wire");
  ASSERT_EQ(alone.code, 0) << alone.err;
  const std::string expected = results();
  ASSERT_FALSE(expected.empty());

  for (const int ranks : {1, 2, 3, 4}) {
    const Finished many =
        execute(ranks, "wire", {"--trace", (folder_ / "trace.json").string(), "--json"});
    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_EQ(std::count(many.out.begin(), many.out.end(), '\n'), 2) << "one rank prints";
    EXPECT_EQ(count(many.out, "between ranks: shared memory"), ranks > 1 ? 2U : 0U) << many.out;
    EXPECT_TRUE(results() == expected) << ranks << " ranks have other results";
    EXPECT_GT(folder_.content("trace.json").size(), 1000U);
  }
}

TEST_F(ExecuteRanks, ASearchThatAClockEndsIsTheFirstRanks) {
  const Finished run = execute(3, "wire", {"--seconds", "0.3", "--json"}, "annealing");

  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(count(run.out, "\"placement\":\"annealing\""), 1U) << run.out;
}

TEST_F(ExecuteRanks, WhatIsWrongWithAPlacementIsSaidOnce) {
  const Finished run = execute(3, "wire", {"--placement", (folder_ / "none.json").string()});

  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(count(run.err, "none.json"), 1U) << run.err;
}

TEST(CommandsOfOneProcess, AreRunByTheFirstRankOfAJobAlone) {
  const RunFolder folder("alone");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"compare", "random:chains:6", "--topology", "uniform:2", "--policies", "heft"},
           {"place", "random:chains:6", "--topology", "uniform:2", "--policy", "heft"},
           {"graph", "info", "random:chains:6"},
           {"schedule", "generated:4", "--cluster", "v100:8", "--throughputs", "estimated"}}) {
    const Finished alone = Process(berth_words(0, words), folder / "log").wait();
    const Finished job = Process(berth_words(2, words), folder / "log").wait();

    EXPECT_EQ(alone.code, 0) << words[0] << ": " << alone.err;
    EXPECT_EQ(job.code, 0) << words[0] << ": " << job.err;
    EXPECT_EQ(std::count(job.out.begin(), job.out.end(), '\n'),
              std::count(alone.out.begin(), alone.out.end(), '\n'))
        << job.out;
  }
  const Finished wrong =
      Process(berth_words(2, {"compare", "none.json", "--topology", "uniform:2"}), folder / "log")
          .wait();
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(count(wrong.err, "berth: none.json"), 1U) << wrong.err;
}

TEST_F(ExecuteRanks, AnExecutorOfOneProcessIsRefusedInOneLine) {
  const Finished run = execute(2, "cpu");

  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(run.out.empty()) << run.out;
  EXPECT_EQ(
      count(run.err,
            "berth: executor 'cpu' runs a placement within one process, not 2 ranks; expected "
            "one rank, or an executor that spans ranks, such as cuda\n"),
      1U)
      << run.err;
}

TEST_F(ExecuteRanks, MoreRanksThanDevicesAreRefusedInOneLine) {
  const Finished run = execute(5, "wire");

  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(count(run.err, "5 ranks for 4 devices; expected at most a rank a device"), 1U)
      << run.err;
}

TEST_F(ExecuteRanks, ARankWithoutMemoryIsTheAnswer) {
  const Finished run = execute(2, "wire(bad_rank=1,how=full)");

  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(count(run.out, "rank 1: the placement needs"), 2U) << run.out;
}

TEST_F(ExecuteRanks, ARankThatFailsIsNamedOnce) {
  const Finished run = execute(2, "wire(bad_rank=1,how=throw,bad_call=9)", {"--timeout", "0.2s"});

  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(count(run.err, "a planned failure"), 1U) << run.err;
  EXPECT_EQ(count(run.err, "berth: rank 1: plugin 'wire'"), 1U) << run.err;
}

TEST_F(ExecuteRanks, ARankThatIsKilledStoppedOrHangsEndsTheJobWithItsName) {
  // Killed: mpirun says so. Stopped: rank 0 misses it. In an endless wait: it ends itself.
  const std::pair<const char*, const char*> ends[] = {
      {"kill", "rank 1"},
      {"stop", "berth: rank 0: silent for over"},
      {"hang", "berth: rank 1: silent for over 1.2 s in start of a run"}};
  for (const auto& [how, said] : ends) {
    for (const char* call : {"9", "40"}) {  // in the warm-up, and later
      const auto begin = std::chrono::steady_clock::now();
      const Finished run =
          execute(3,
                  std::string("wire(bad_rank=1,how=") + how + ",bad_call=" + call + ")",
                  {"--watchdog-seconds", "1", "--timeout", "0.2s"});
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

      EXPECT_NE(run.code, 0);
      EXPECT_LT(seconds.count(), 40.0);
      EXPECT_TRUE(run.out.empty()) << run.out;
      EXPECT_GT(count(run.err, said), 0U) << how << ": " << run.err;
      EXPECT_GT(count(run.err, "rank 1"), 0U) << how << ": " << run.err;
    }
  }
}

/// A campaign whose placements span two ranks each; of five ranks, two such twos measure.
constexpr const char* kCampaignOfTwos = R"toml(policy = "table"
seed = 5
rollouts = 12
group_size = 3
checkpoint_every = 1
incumbents = ""
executor = "wire"
executor_ranks = 4
executor_group = 2
explore_bound = 0.5
problems = [{ graph = "workload:ffnn:4", topology = "uniform:4" }]

[[stages]]
kind = "simulation"
updates = 1

[[stages]]
kind = "execution"
updates = MANY

[table]
ops = 200
)toml";

class TrainInTwos : public ::testing::Test {
 protected:
  /// @param updates that measure.
  [[nodiscard]] std::vector<std::string> words(const std::string& updates) const {
    std::string campaign = kCampaignOfTwos;
    folder_.write("campaign.toml", campaign.replace(campaign.find("MANY"), 4, updates));
    return berth_words(5,
                       {"train",
                        (folder_ / "campaign.toml").string(),
                        "--out",
                        (folder_ / "run").string(),
                        "--plugin",
                        BERTH_TABLE_PLUGIN,
                        "--plugin",
                        BERTH_WIRE_PLUGIN});
  }

  const RunFolder folder_{"twos"};
};

TEST_F(TrainInTwos, RanksMeasureEachPlacementTogether) {
  const Finished run = Process(words("3"), folder_ / "log").wait();

  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(count(run.err, " measures: 2 ranks of 2 devices played on the host; "), 4U) << run.err;
  EXPECT_NE(run.out.find("36 rollouts run, 0 given up"), std::string::npos) << run.out;
}

TEST_F(TrainInTwos, StopAtTheSameRunWhenASignalReachesOneOfThemFirst) {
  Process process(words("100000"), folder_ / "log");
  while (process.is_running() && count(folder_.content("run/metrics.jsonl"), "execution") < 3) {
    ::usleep(20000);
  }
  process.signal(SIGTERM);
  const Finished stopped = process.wait();

  EXPECT_NE(stopped.err.find("berth: stopped by signal 15"), std::string::npos) << stopped.err;
}

}  // namespace
}  // namespace berth::testing
