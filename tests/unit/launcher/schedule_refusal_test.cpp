// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What `berth schedule` refuses, in one line each.

#include "schedule_fixture.hpp"

namespace berth::launcher {
namespace {

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
}

TEST_F(ScheduleCommand, TakesOnlySchedulersThatGoTogetherAndWithForks) {
  const std::string nodes = "schedule mix:3 --cluster v100:1,k80:1 --throughputs estimated ";
  const std::string copies = "' assigns copies of jobs; expected --fork beside it";
  expect_refusal(nodes + "--fork --scheduler fifo",
                 2,
                 "--scheduler: 'fifo' with --fork; expected one that assigns copies");
  expect_refusal(nodes + "--fork --scheduler hadare,srtf", 2, "'srtf' with --fork");
  expect_refusal(nodes + "--scheduler fifo,hadare", 2, "--scheduler: 'hadare" + copies);
  expect_refusal(nodes + "--scheduler 'hadare(copies=1)'", 2, "'hadare(copies=1)" + copies);
  expect_refusal(nodes + "--fork --scheduler hadaree", 3, "'hadaree' is offered by no");
  expect_refusal(nodes + "--scheduler ''",
                 2,
                 "scheduler '': has no name; expected for example hadar(preset=ttd) or fifo");
  expect_refusal(nodes + "--scheduler 'fifo,,las'", 2, "scheduler '': has no name");
  expect_refusal(nodes + "--scheduler 'hadar(preset'", 2, "scheduler 'hadar(preset': the paren");
  for (const char* list : {"all,fifo", "fifo,all", "'all(seed=1)'"}) {
    expect_refusal(nodes + "--scheduler " + list, 2, "expected all by itself, or names only");
  }
}

TEST_F(ScheduleCommand, TakesASchedulerOnceUnlessItsOptionsDiffer) {
  const std::string trace = "schedule mix:3 --cluster v100:1,k80:1 --throughputs estimated ";
  expect_refusal(
      trace + "--scheduler fifo,las,fifo", 2, "--scheduler: 'fifo' is given twice; expected each");
  expect_refusal("bench hadar --schedulers 'hadar(preset=ttd),fifo,hadar(preset=ttd)'",
                 2,
                 "--schedulers: 'hadar(preset=ttd)' is given twice; expected each once");
  EXPECT_EQ(run_berth(trace + "--scheduler 'hadar,hadar(preset=ttd)'").exit_code, 0);
}

TEST_F(ScheduleCommand, RefusesRatesThatItCannotSolveWith) {
  const std::string cluster = " --cluster v100:4/2,k80:4/2 --scheduler gavel-max-min ";
  const auto job = [&](const std::string& rates) {
    return "schedule " +
           write("rates.json",
                 R"({"format": "berth.jobs/1", "jobs": [{"gang": 2, "total_steps": 100, )" + rates +
                     "}]}") +
           cluster;
  };
  expect_refusal(job(R"("rates": {"v100": 1e300, "k80": 1})"),
                 2,
                 "rates.json:/jobs/0/rates/v100: 1e+300; expected 0 or a number from 1e-9 to 1e9");
  expect_refusal(job(R"("rates": {"v100": 0, "k80": 0}, "spread_rates": {"v100": 1, "k80": 1})"),
                 2,
                 "rates.json:/jobs/0: no rate in one machine on any accelerator of the cluster");
  expect_refusal(job(R"("spread_rates": {"v100": 1, "k80": 1})"),
                 2,
                 "rates.json:/jobs/0: spread_rates without rates; expected both, or rates alone");
  const ProgramResult far_apart = run_berth(job(R"("rates": {"v100": 1e9, "k80": 1e-9})"));
  EXPECT_EQ(far_apart.exit_code, 0) << far_apart.standard_error;
}

TEST_F(ScheduleCommand, RefusesATableThatWouldNotBeUsed) {
  const std::string own = "schedule " + write("own.json", R"({"format": "berth.jobs/1", "jobs": [
      {"gang": 1, "total_steps": 100, "rates": {"v100": 1}}]})") +
                          " --cluster v100:1 ";
  expect_refusal(own + "--throughputs estimated",
                 2,
                 "own.json: the trace states rates; --throughputs would not be used");
  expect_refusal(own + "--throughput-table physical",
                 2,
                 "--throughput-table: has no effect without a table to choose from");
  expect_refusal("schedule mix:2" + kSmall + "--throughput-table physical", 2, "has no effect");
  expect_refusal(
      "bench hadar --quick --throughput-table physical", 2, "--throughput-table: has no");
}

}  // namespace
}  // namespace berth::launcher
