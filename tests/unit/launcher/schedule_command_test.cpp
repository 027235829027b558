// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// `berth schedule` and `berth bench hadar` as a shell sees them.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule_fixture.hpp"

namespace berth::launcher {
namespace {

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
  std::filesystem::create_symlink("a", path("to a"));
  expect_refusal(long_run + "--csv '" + path("to a") + "' --report '" + path("a") + "'",
                 2,
                 "--csv and --report: both ");
  std::filesystem::remove(path("to a"));
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
