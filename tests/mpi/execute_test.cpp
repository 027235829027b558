// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "checkpoints/checkpoint_file.hpp"
#include "execute_fixture.hpp"

namespace berth::testing {
namespace {

using nlohmann::json;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Execute, CopiesTrainAtOnceAndTheirStepsSumExactlyToEachJobs) {
  const ExecuteFixture fixture;

  const Finished run = fixture.execute(3, "run", {"--json"});

  ASSERT_EQ(run.code, 0) << run.err;
  std::map<std::string, int> steps;
  int most_copies = 0;
  for (const json& round : fixture.rounds("run")) {
    std::map<std::string, double> omega;
    std::map<std::string, int> copies;
    for (const json& copy : round["copies"]) {
      steps[copy["job"]] += copy["steps"].get<int>();
      omega[copy["job"]] += copy["omega"].get<double>();
      most_copies = std::max(most_copies, ++copies[copy["job"]]);
    }
    for (const auto& [job, sum] : omega) {
      EXPECT_NEAR(sum, 1.0, 1e-12) << job << " in " << round;
    }
  }
  EXPECT_EQ(steps["long"], 600);
  EXPECT_EQ(steps["short"], 300);
  EXPECT_EQ(most_copies, 3);  // whoever is left gets every node
  const json result = json::parse(run.out);
  for (const json& job : result["jobs"]) {
    EXPECT_LT(job["after"], 0.1 * job["before"].get<double>()) << job;
  }
  EXPECT_LE(result["cru"], 1.0);
  EXPECT_GE(result["ttd_seconds"].get<double>(),
            result["ttd_bound_seconds"].get<double>() * (1.0 - 1e-9));
}

TEST(Execute, TheFirstSlotFollowsTheBelievedRates) {
  const ExecuteFixture fixture;

  ASSERT_EQ(fixture.execute(3, "run").code, 0);

  // The short job can end first and takes the fast node: 60 steps. The long one takes the middle
  // node, and the slow one joins it: 2/3 and 1/3 of the fast node's rate, 40 and 20 steps.
  const json first = fixture.rounds("run").at(0)["copies"];
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0]["job"], "long");
  EXPECT_EQ(first[0]["node"], "middle");
  EXPECT_EQ(first[0]["steps"], 40);
  EXPECT_NEAR(first[0]["omega"].get<double>(), 2.0 / 3.0, 1e-12);
  EXPECT_EQ(first[1]["node"], "slow");
  EXPECT_EQ(first[1]["steps"], 20);
  EXPECT_EQ(first[2]["job"], "short");
  EXPECT_EQ(first[2]["node"], "fast");
  EXPECT_EQ(first[2]["steps"], 60);
}

TEST(Execute, ACheckpointHoldsTheMergedModelAndItsCopies) {
  const ExecuteFixture fixture;

  ASSERT_EQ(fixture.execute(3, "run", {"--keep-checkpoints", "100"}).code, 0);
  const checkpoints::Checkpoint one =
      checkpoints::read_checkpoint(fixture / "run/checkpoints/update_000000000001.h5");

  EXPECT_EQ(one.header.policy, "hadare");
  EXPECT_EQ(one.header.update, 1U);
  EXPECT_EQ(one.header.seed, 3U);
  const std::string at = "job/0/round/1/";
  EXPECT_EQ(one.state.at(at + "theta/slope").shape, std::vector<std::int64_t>({2}));
  EXPECT_EQ(one.state.at(at + "theta/offset").float32.size(), 1U);
  EXPECT_EQ(one.state.at(at + "buffers/mean_target").float32.size(), 1U);
  EXPECT_EQ(one.state.at(at + "optim/momentum").float32.size(), 3U);
  EXPECT_EQ(one.state.at(at + "copies/steps").uint64, std::vector<std::uint64_t>({40, 20}));
  EXPECT_EQ(one.state.at(at + "copies/node").uint64, std::vector<std::uint64_t>({1, 2}));
  EXPECT_EQ(one.state.at(at + "copies/omega").float64.size(), 2U);
  EXPECT_EQ(one.state.at(at + "copies/rate").float64.size(), 2U);
  EXPECT_EQ(one.state.at(at + "copies/loss").float64.size(), 2U);
  EXPECT_EQ(one.state.at(at + "counters").uint64, std::vector<std::uint64_t>({60, 33}));
  EXPECT_EQ(one.state.at(at + "checksum").uint64.size(), 1U);
}

TEST(Execute, APageShowsNodesCurvesAndJobs) {
  const ExecuteFixture fixture;
  const Finished run = fixture.execute(2, "run", {"--report", (fixture / "page.html").string()});
  ASSERT_EQ(run.code, 0) << run.err;

  const std::string page = fixture.content("page.html");

  for (const char* part : {"2 jobs trained on 2 nodes",
                           "Nodes over time",
                           ">fast</text>",
                           ">middle</text>",
                           "training loss",
                           "validation loss",
                           "long, round 0: ",
                           "believed steps/s",
                           "</html>"}) {
    EXPECT_TRUE(holds(page, part)) << part;
  }
  std::size_t bars = 0;
  for (std::size_t at = page.find("<title>"); at != std::string::npos;
       at = page.find("<title>", at + 1)) {
    ++bars;
  }
  std::size_t copies = 0;
  for (const json& round : fixture.rounds("run")) {
    copies += round["copies"].size();
  }
  EXPECT_EQ(bars, copies + 1) << "a bar with a title for every copy, and the page's own";
}

TEST(Execute, RunsOnOneRankAndWithoutForking) {
  const ExecuteFixture fixture;

  const Finished alone = fixture.execute(0, "alone", {"--json"});
  const Finished fifo = fixture.execute(2, "fifo", {"--json", "--scheduler", "fifo"});

  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_TRUE(holds(alone.err, "nodes without a rank take no part"));
  EXPECT_EQ(json::parse(alone.out)["nodes"], 1);
  ASSERT_EQ(fifo.code, 0) << fifo.err;
  for (const json& job : json::parse(fifo.out)["jobs"]) {
    EXPECT_EQ(job["most_copies"], 1);
  }
}

TEST(Execute, EveryRuleOfMergingReachesTheLine) {
  const ExecuteFixture fixture;
  int number = 0;
  for (const std::vector<std::string>& rule : std::vector<std::vector<std::string>>{
           {"--merge-weights", "uniform"},
           {"--merge-weights", "inverse-validation-loss"},
           {"--merge-weights", "samples", "--merge-optimizer", "reset"},
           {"--merge-counters", "sum/copies"}}) {
    std::vector<std::string> more = rule;
    more.push_back("--json");
    const Finished run = fixture.execute(3, "run" + std::to_string(number++), more);
    ASSERT_EQ(run.code, 0) << rule[1] << run.err;
    for (const json& job : json::parse(run.out)["jobs"]) {
      EXPECT_LT(job["after"], 0.15 * job["before"].get<double>()) << rule[1] << job;
    }
  }
}

TEST(Execute, ACopyThatFailsOrDivergesCountsNothingAndItsJobGoesOn) {
  for (const std::string what : {"fail", "nan"}) {
    const ExecuteFixture fixture;
    // Steps 40 to 59 are those of the slow node's copy in the first slot; the second slot makes
    // them again, with others.
    fixture.write(
        "mix.toml",
        std::string(kStepMix).replace(std::string(kStepMix).find("steps = 600"),
                                      11,
                                      "steps = 600\n" + what + "_from = 59\n" + what + "_to = 60"));
    const Finished run = fixture.execute(3, "run");

    const json first = fixture.rounds("run").at(0)["copies"];
    EXPECT_EQ(first[1]["failed"], true) << run.err;
    EXPECT_EQ(first[1]["steps"], 0);
    EXPECT_EQ(first[1]["omega"], 0.0);
    EXPECT_EQ(first[0]["omega"], 1.0);
    // Whoever meets step 59 fails, always: after three rounds without any step the run says so.
    if (run.code != 0) {
      EXPECT_TRUE(holds(run.err, "no copy counted in 3 rounds in a row")) << run.err;
    }
  }
}

/// Process ids of the ranks that a running mpirun has started.
std::vector<pid_t> ranks_of(const Process& process) {
  const std::string pid = std::to_string(process.id());
  std::ifstream in("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<pid_t> ranks;
  for (pid_t rank = 0; in >> rank;) {
    ranks.push_back(rank);
  }
  return ranks;
}

TEST(Execute, AKilledRankEndsTheRunAndResumeGoesOnToTheSameBytes) {
  const ExecuteFixture fixture;
  fixture.write(
      "mix.toml",
      std::string(kStepMix).replace(
          std::string(kStepMix).find("steps = 600"), 11, "steps = 600\nstep_microseconds = 1000"));
  ASSERT_EQ(fixture.execute(3, "whole").code, 0);

  {
    Process process(fixture.words(3, "run"), fixture / "run-log");
    while (process.is_running() && fixture.rounds("run").size() < 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const std::vector<pid_t> ranks = ranks_of(process);
    ASSERT_EQ(ranks.size(), 3U);
    ::kill(ranks[2], SIGKILL);
    EXPECT_NE(process.wait().code, 0);
  }
  const std::size_t rounds_before = fixture.rounds("run").size();
  const Finished resumed = fixture.execute(3, "run", {"--resume"});

  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_LT(rounds_before, fixture.rounds("whole").size());
  EXPECT_EQ(fixture.content("run/rounds.jsonl"), fixture.content("whole/rounds.jsonl"));
  EXPECT_TRUE(fixture.content("run/checkpoints/latest.h5") ==
              fixture.content("whole/checkpoints/latest.h5"));
}

TEST(Execute, ARunLosesANodeAndItsJobsGoOnWithTheOthers) {
  const ExecuteFixture fixture;
  fixture.write(
      "mix.toml",
      std::string(kStepMix).replace(
          std::string(kStepMix).find("steps = 600"), 11, "steps = 600\nstep_microseconds = 1000"));
  {
    Process process(fixture.words(3, "run"), fixture / "run-log");
    while (process.is_running() && fixture.rounds("run").empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(ranks_of(process).at(2), SIGKILL);
    EXPECT_NE(process.wait().code, 0);
  }

  const Finished resumed = fixture.execute(2, "run", {"--resume"});

  EXPECT_EQ(resumed.code, 0) << resumed.err;
  int steps = 0;
  for (const json& round : fixture.rounds("run")) {
    for (const json& copy : round["copies"]) {
      steps += copy["steps"].get<int>();
    }
  }
  EXPECT_EQ(steps, 900);
}

TEST(Execute, ASignalEndsTheRunAfterACheckpoint) {
  const ExecuteFixture fixture;
  fixture.write(
      "mix.toml",
      std::string(kStepMix).replace(
          std::string(kStepMix).find("steps = 600"), 11, "steps = 600\nstep_microseconds = 1000"));
  Process process(fixture.words(0, "run"), fixture / "run-log");
  while (process.is_running() && fixture.rounds("run").size() < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.signal(SIGTERM);
  const Finished stopped = process.wait();

  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_TRUE(holds(stopped.err, "stopped by signal 15 after round")) << stopped.err;
  EXPECT_EQ(fixture.execute(0, "run", {"--resume"}).code, 0);
}

TEST(Execute, ASignalEndsTheRunAfterACheckpointAlsoWhereNothingCanBePrinted) {
  // As of a terminal that closes: rows of rounds fail to be written, the checkpoint does not.
  const ExecuteFixture fixture;
  fixture.write(
      "mix.toml",
      std::string(kStepMix).replace(
          std::string(kStepMix).find("steps = 600"), 11, "steps = 600\nstep_microseconds = 1000"));
  std::vector<std::string> words = {"sh", "-c", "exec \"$@\" > /dev/full", "sh"};
  std::ranges::copy(fixture.words(0, "run"), std::back_inserter(words));
  Process process(words, fixture / "run-log");
  while (process.is_running() && fixture.rounds("run").size() < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.signal(SIGHUP);
  const Finished stopped = process.wait();

  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_TRUE(holds(stopped.err, "stopped by signal 1 after round")) << stopped.err;
  EXPECT_EQ(fixture.execute(0, "run", {"--resume"}).code, 0);
}

TEST(Execute, ANodeSlowerThanBelievedIsCorrectedAfterOneRound) {
  const ExecuteFixture fixture;
  // Two nodes are believed alike; the second computes a fiftieth of the time: less than its share
  // of a busy machine.
  fixture.write("mix.toml", R"(slot_seconds = 0.5
nodes = [
  { name = "whole" },
  { name = "idle", duty = 0.02 },
]
[[jobs]]
name = "line"
model = "line"
steps = 9000
step_microseconds = 200
)");

  const Finished run = fixture.execute(2, "run", {"--json"});

  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<json> rounds = fixture.rounds("run");
  ASSERT_GE(rounds.size(), 3U);
  const auto ratio = [&rounds](std::size_t round, const char* key) {
    return rounds[round]["copies"][1][key].get<double>() /
           rounds[round]["copies"][0][key].get<double>();
  };
  EXPECT_NEAR(ratio(0, "rate_believed"), 1.0, 1e-9);
  EXPECT_LT(ratio(1, "rate_believed"), 0.5);
  EXPECT_LT(ratio(2, "planned"), 0.5);
  EXPECT_GT(json::parse(run.out)["rate_estimate"]["worst_factor"], 2.0);
}

}  // namespace
}  // namespace berth::testing
