// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// `berth schedule` and `berth bench hadar` as a shell sees them.

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.hpp"

namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

class ScheduleCommand : public ::testing::Test {
 protected:
  ScheduleCommand() : folder_(::testing::TempDir() + "berth_schedule_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~ScheduleCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return "'" + path(name) + "'";
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::vector<json> lines(const ProgramResult& result) {
    std::vector<json> rows;
    std::istringstream text(result.standard_output);
    for (std::string line; std::getline(text, line);) {
      rows.push_back(json::parse(line));
    }
    return rows;
  }
  /// One line on standard error, nothing on standard output, this exit code.
  static void expect_refusal(const std::string& words, int code, const std::string& part) {
    const ProgramResult result = run_berth(words);
    EXPECT_EQ(result.exit_code, code) << words << "\n" << result.standard_error;
    EXPECT_EQ(result.standard_output, "") << words;
    EXPECT_NE(result.standard_error.find(part), std::string::npos) << words << "\n"
                                                                   << result.standard_error;
    EXPECT_EQ(std::count(result.standard_error.begin(), result.standard_error.end(), '\n'), 1)
        << result.standard_error;
  }

 private:
  std::string folder_;
};

constexpr const char* kHeader =
    "job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s\n";
const std::string kSmall = " --cluster v100:8/4,p100:8/4,k80:8/4 --throughputs estimated ";

TEST_F(ScheduleCommand, RefusesWhatItCannotPlayInOneLine) {
  const std::string good = write("good.csv", std::string(kHeader) + "0,LM,20,1,1000,1,0\n");
  const auto bad = [&](const std::string& row) {
    return "schedule " + write("bad.csv", std::string(kHeader) + row) + kSmall;
  };
  expect_refusal("schedule " + good, 2, "expected one TRACE and --cluster");
  expect_refusal("schedule" + kSmall, 2, "expected one TRACE and --cluster");
  expect_refusal("schedule nowhere.csv" + kSmall, 2, "trace 'nowhere.csv': no such file");
  expect_refusal(
      "schedule " + good + kSmall + "--scheduler nosuch", 3, "'nosuch' is offered by no");
  expect_refusal("schedule " + good + kSmall + "--scheduler 'hadar(preset=best)'", 2, "preset");
  expect_refusal("schedule " + good + " --cluster v100:4/4", 2, "--throughputs estimated");
  expect_refusal("schedule " + good + " --cluster zx81:4/4 --throughputs estimated", 2, "'zx81'");
  expect_refusal("schedule " + good + " --cluster v100:4/3 --throughputs estimated", 2, "multiple");
  expect_refusal("schedule " + good + " --cluster v100:4000000000", 2, "cluster: 'v100:40000");
  expect_refusal("schedule " + good + " --cluster v100:-1", 2, "cluster: 'v100:-1'");
  expect_refusal(bad("0,GPT,20,1,1000,1,0\n"), 2, "no job type 'GPT (batch size 20)'");
  expect_refusal(bad("0,LM,20,1,nan,1,0\n"), 2, "bad.csv:2: total_steps: 'nan'");
  expect_refusal(bad("0,LM,20,1,-5,1,0\n"), 2, "bad.csv:2: total_steps: '-5'");
  expect_refusal(bad("0,LM,20,1,1000,1,-1\n"), 2, "bad.csv:2: arrival_s: '-1'");
  expect_refusal(bad("0,LM,20,1,1000,0,0\n"), 2, "weight is 0");
  expect_refusal(bad("0,LM,20,4294967296,1000,1,0\n"), 2, "scale_factor");
  expect_refusal(bad("0,LM,20,64,1000,1,0\n"), 2, "with a gang of 64");
  expect_refusal(bad("0,LM,20,3,1000,1,0\n"), 2, "with a gang of 3");
  expect_refusal(bad("0,LM,20,1\n"), 2, "bad.csv:2: 4 fields; the header names 7");
  expect_refusal(bad(""), 2, "expected");
  expect_refusal("schedule " + write("empty.csv", "") + kSmall, 2, "empty");
  expect_refusal("schedule generated:0" + kSmall, 2, "trace 'generated:0'");
  expect_refusal("schedule generated:5" + kSmall + "--round-seconds nan", 2, "--round-seconds");
  expect_refusal("schedule generated:5" + kSmall + "--mix some", 2, "expected one of min");
  expect_refusal("schedule generated:5" + kSmall + "--explain 5", 2, "--explain");
  expect_refusal("schedule mix:3" + kSmall + "--fork --scheduler hadare", 2, "nodes of one");
  expect_refusal("schedule generated:5" + kSmall + "--throughputs-from-plans .", 2, "expected one");
  expect_refusal(
      "schedule " + write("far.csv", std::string(kHeader) + "0,LM,20,1,9,1,1e300\n") + kSmall,
      2,
      "far.csv:2: more than 1e15 steps, or an arrival after 1e12 s");
  expect_refusal("schedule generated:5" + kSmall + "--gavel --mix off", 2, "--mix: has no effect");
  expect_refusal("schedule generated:5" + kSmall + "--lost-copies 0.5", 2, "expected --fork");
  expect_refusal(
      "schedule mix:3 --cluster v100:1,k80:1 --throughputs estimated --fork --spread off",
      2,
      "--spread: has no effect with --fork");
  expect_refusal(
      "schedule mix:3 --cluster v100:1,k80:1 --throughputs estimated --fork --scheduler fifo",
      3,
      "expects one that assigns copies, such as hadare");
}

TEST_F(ScheduleCommand, ForksByHadareUnlessToldOtherwise) {
  const ProgramResult result =
      run_berth("schedule mix:3 --cluster v100:1,k80:1 --throughputs estimated --fork --json");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(lines(result).at(0)["scheduler"], "hadare");
}

TEST_F(ScheduleCommand, SaysThatAFileCannotBeWrittenAndLeavesNoPart) {
  // A link to a device that is always full: it must be written to, never be replaced.
  std::filesystem::create_symlink("/dev/full", path("full"));
  for (const char* option : {"--csv", "--report"}) {
    const ProgramResult full =
        run_berth("schedule generated:5" + kSmall + option + " '" + path("full") + "'");
    EXPECT_EQ(full.exit_code, 1) << full.standard_error;
    EXPECT_NE(full.standard_error.find("full: cannot write: No space left"), std::string::npos);
    const ProgramResult folder =
        run_berth("schedule generated:5" + kSmall + option + " '" + path("") + "'");
    EXPECT_EQ(folder.exit_code, 2) << folder.standard_error;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(path("full")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

TEST_F(ScheduleCommand, TriesItsFilesBeforeItPlays) {
  // A run of hours, were it started.
  const std::string long_run = "schedule generated:20000" + kSmall + "--scheduler pollux ";
  for (const char* option : {"--csv", "--report", "--write-throughputs"}) {
    expect_refusal(long_run + option + " '" + path("nowhere/file") + "'", 2, "cannot create");
  }
  expect_refusal(long_run + "--csv '" + path("a") + "' --report '" + path("a") + "'",
                 2,
                 "--csv and --report: both ");
  expect_refusal("bench hadar --html '" + path("nowhere/page.html") + "'", 2, "cannot create");
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

TEST_F(ScheduleCommand, QuotesNamesOfJobsThatHoldCommas) {
  const std::string trace = write("named.json",
                                  R"({"format": "berth.jobs/1", "jobs": [
      {"model": "gpt, small", "gang": 1, "total_steps": 100, "rates": {"v100": 1}}]})");
  const ProgramResult result =
      run_berth("schedule " + trace + " --cluster v100:1 --csv '" + path("jobs.csv") + "'");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(read("jobs.csv").find("\n0,\"gpt, small\",1,0,"), std::string::npos);
}

TEST_F(ScheduleCommand, ComparesAllSchedulersInOneTable) {
  const ProgramResult result =
      run_berth("schedule generated:8:300" + kSmall + "--scheduler all --json");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;

  std::set<std::string> names;
  for (const json& row : lines(result)) {
    names.insert(row["scheduler"]);
    for (const char* key : {"jct_mean_seconds",
                            "jct_median_seconds",
                            "jct_p99_seconds",
                            "ttd_seconds",
                            "ttd_gap",
                            "ttd_bound_seconds",
                            "gru",
                            "ftf_mean",
                            "restarts",
                            "queueing_mean_seconds",
                            "scheduler_seconds_per_round",
                            "throughputs"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_EQ(row["finished_jobs"], 8) << row["scheduler"];
    EXPECT_GE(row["ttd_seconds"].get<double>(), row["ttd_bound_seconds"].get<double>())
        << row["scheduler"];
    EXPECT_LE(row["gru"].get<double>(), 1.0 + 1e-9);
  }
  for (const char* name : {"hadar",
                           "hadar(preset=ttd)",
                           "hadar(preset=paper_jct)",
                           "hadar(preset=paper_ttd)",
                           "fifo",
                           "gavel-fifo",
                           "gavel-fifo-perf",
                           "gavel-isolated",
                           "gavel-max-min",
                           "gavel-max-min-agnostic",
                           "gavel-makespan",
                           "gavel-makespan-agnostic",
                           "gavel-ftf",
                           "gavel-ftf-agnostic",
                           "gavel-max-sum",
                           "sia",
                           "pollux",
                           "tiresias",
                           "srtf",
                           "srsf",
                           "las",
                           "random"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
  EXPECT_EQ(names.count("hadare"), 0U);
}

TEST_F(ScheduleCommand, RepeatsItselfByteForByteExceptForTimes) {
  const auto play = [&] {
    std::vector<json> rows =
        lines(run_berth("schedule generated:20" + kSmall +
                        "--scheduler 'pollux(population=6, generations=4),sia,random' --json"));
    for (json& row : rows) {
      for (const char* key :
           {"scheduler_seconds", "scheduler_seconds_per_round", "scheduler_seconds_worst_round"}) {
        row.erase(key);
      }
    }
    return rows;
  };
  EXPECT_EQ(play(), play());
}

TEST_F(ScheduleCommand, TheFlagsOfTheClockTogetherAreGavelsClock) {
  const auto times = [&](const std::string& flags) {
    std::vector<double> values;
    for (const json& row :
         lines(run_berth("schedule generated:20:3000" + kSmall + flags + " --json --bound none"))) {
      for (const char* key : {"jct_mean_seconds", "ttd_seconds", "utilisation", "rounds"}) {
        values.push_back(row[key]);
      }
    }
    return values;
  };
  const std::vector<double> gavel = times("--gavel --scheduler gavel-fifo-perf");
  const std::string each =
      "--round-end latest-finish --execute-from previous-round-end --utilisation-from time-zero "
      "--min-steps-per-worker 1 --idle jumps --spread off --mix off --restart-seconds 0 ";

  ASSERT_EQ(gavel.size(), 4U);
  EXPECT_EQ(times(each + "--scheduler 'gavel-fifo-perf(gavel_compatible=true)'"), gavel);
  EXPECT_NE(times("--scheduler gavel-fifo-perf"), gavel);
}

TEST_F(ScheduleCommand, WritesATableOfJobsAndAPage) {
  const ProgramResult result = run_berth(
      "schedule generated:12" + kSmall + "--scheduler hadar,fifo --csv '" + path("jobs.csv") +
      "' --report '" + path("page.html") + "' --write-throughputs '" + path("rates.csv") + "'");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  for (const char* part : {"JCT mean h",
                           "p99 h",
                           "TTD h",
                           "gap",
                           "GRU",
                           "FTF mean",
                           "restarts",
                           "queue h",
                           "s/round",
                           "estimated from data sheets",
                           "TTD lower bound of whole gangs"}) {
    EXPECT_NE(result.standard_output.find(part), std::string::npos) << part;
  }
  const std::string csv = read("jobs.csv");
  EXPECT_TRUE(csv.starts_with(
      "job_id,name,gang,arrival_s,first_start_s,finish_s,jct_s,executed_s,restarts,ftf\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  const std::string page = read("page.html");
  for (const char* part : {"<h2>hadar</h2>",
                           "<h2>fifo</h2>",
                           "<rect",
                           "Busy accelerators",
                           "share of jobs done within",
                           "Jobs under fifo",
                           "v100-0",
                           "</html>"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }

  const auto ttd = [&](const std::string& throughputs) {
    return lines(run_berth("schedule generated:12 --cluster v100:8/4,p100:8/4,k80:8/4 "
                           "--throughputs " +
                           throughputs + " --json"))
        .at(0)["ttd_seconds"];
  };
  EXPECT_EQ(ttd("estimated"), ttd("'" + path("rates.csv") + "'"));
}

TEST_F(ScheduleCommand, ExplainsAForkedJob) {
  const ProgramResult result = run_berth(
      "schedule mix:5 --cluster v100:1,p100:2,k80:2 --throughputs estimated --fork --scheduler all "
      "--explain 4");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;

  EXPECT_NE(result.standard_output.find("TTD lower bound of forked jobs, divisible over nodes"),
            std::string::npos);
  EXPECT_NE(result.standard_output.find("hadare(copies=1), the job asked about:"),
            std::string::npos);
  EXPECT_NE(result.standard_output.find("t=0 s: "), std::string::npos);
  EXPECT_NE(result.standard_output.find(" of 5, shortest first; "), std::string::npos);
  EXPECT_NE(result.standard_output.find("here also the CRU of nodes"), std::string::npos);
}

TEST_F(ScheduleCommand, TakesRatesFromPlans) {
  std::filesystem::create_directories(path("plans"));
  write("plans/small@h100@4.json", R"({"format": "berth-plan", "seconds_per_batch": 0.5})");
  write("plans/small@a100@4.json", R"({"format": "berth-plan", "seconds_per_batch": 1.0})");
  const std::string trace = write(
      "own.json",
      R"({"format": "berth.jobs/1", "jobs": [{"model": "small", "gang": 4, "total_steps": 7200}]})");

  const ProgramResult result =
      run_berth("schedule " + trace + " --cluster h100:4/4,a100:4/4 --throughputs-from-plans '" +
                path("plans") + "' --scheduler srtf --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(lines(result).at(0)["ttd_seconds"], 3600.0);  // on the faster type
}

// The example of docs/scheduling.md: real plans, one a file.
TEST_F(ScheduleCommand, TakesRatesFromWhatPlanWrites) {
  std::filesystem::create_directories(path("plans"));
  for (const std::string accelerator : {"h100", "a100"}) {
    const ProgramResult plan =
        run_berth("plan llama2-7b --cluster " + accelerator + "-node-8 --global-batch 64 --out '" +
                  path("plans/llama2-7b@" + accelerator + "@8.json") + "'");
    ASSERT_EQ(plan.exit_code, 0) << plan.standard_error;
  }
  const std::string trace = write("llama.json",
                                  R"({"format": "berth.jobs/1", "jobs": [
      {"model": "llama2-7b", "gang": 8, "total_steps": 20000},
      {"model": "llama2-7b", "gang": 8, "total_steps": 5000, "arrival_seconds": 3600}]})");

  const ProgramResult result =
      run_berth("schedule " + trace + " --cluster h100:8/8,a100:8/8 --throughputs-from-plans '" +
                path("plans") + "' --scheduler srtf,gavel-makespan --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  for (const json& row : lines(result)) {
    EXPECT_EQ(row["finished_jobs"], 2);
    EXPECT_GE(row["ttd_seconds"].get<double>(), row["ttd_bound_seconds"].get<double>());
  }
}

TEST_F(ScheduleCommand, BenchRunsAPartOfThePapersComparisons) {
  expect_refusal("bench", 2, "bench: no name; expected one of ");
  expect_refusal("bench hadr", 2, "did you mean 'hadar'?");
  expect_refusal("bench hadar now", 2, "expected options only");
  expect_refusal("bench hadar --quick --jobs 10", 2, "--jobs: --quick has its own");
  expect_refusal("bench hadar --schedulers fifo,nosuch", 3, "'nosuch' is offered by no");
  expect_refusal("bench hadar --schedulers 'fifo,hadare(copies=1)'",
                 2,
                 "--schedulers: 'hadare(copies=1)' assigns copies of forked jobs");

  const ProgramResult result =
      run_berth("bench hadar --quick --json --html '" + path("bench.html") + "'");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  std::map<std::string, int> comparisons;
  int gains = 0;
  for (const json& row : lines(result)) {
    if (row.contains("gain")) {
      ++gains;
      EXPECT_TRUE(row.contains("published"));
      EXPECT_GT(row["measured_mean"].get<double>(), 0.0);
      continue;
    }
    ++comparisons[row["comparison"]];
    const json& measured = row["comparison"] == "mix" ? row["fork"] : row;
    // Whole steps lose less than a second.
    EXPECT_GE(measured["ttd_seconds"].get<double>() + 1.0, row["ttd_bound_seconds"].get<double>());
  }
  EXPECT_EQ(comparisons, (std::map<std::string, int>{{"mix", 2}, {"poisson", 5}, {"static", 5}}));
  EXPECT_GE(gains, 14);
  EXPECT_NE(read("bench.html").find("2.23x (AWS), 2.76x (testbed)"), std::string::npos);
}

}  // namespace
}  // namespace berth::launcher
