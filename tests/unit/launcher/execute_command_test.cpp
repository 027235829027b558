// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.hpp"

namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

constexpr const char* kChain = "workload:chain-mm:2:physical:i32j32k32l32m32 --topology uniform:2 ";

TEST(ExecuteCommand, RunsEachPolicyAndPrintsEveryRepeat) {
  const ProgramResult result = run_berth(std::string("execute ") + kChain +
                                         "--policies round-robin,heft --repeats 3 --json");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  std::istringstream text(result.standard_output);
  int rows = 0;
  for (std::string line; std::getline(text, line); ++rows) {
    const json row = json::parse(line);
    EXPECT_EQ(row.at("status"), "ok");
    EXPECT_EQ(row.at("seconds").size(), 3U);
    EXPECT_GT(row.at("median_seconds").get<double>(), 0.0);
    EXPECT_EQ(row.at("model"), "pull");
  }
  EXPECT_EQ(rows, 2);
}

TEST(ExecuteCommand, SaysThatLinksAreEmulatedAndWritesATrace) {
  const std::string trace = ::testing::TempDir() + "berth_execute_trace.json";
  const ProgramResult result =
      run_berth(std::string("execute ") + kChain +
                "--policies round-robin --bandwidth 1GB/s --latency 20us --trace " + trace);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(result.standard_output.find("emulated links"), std::string::npos);
  EXPECT_NE(result.standard_output.find("simulated under links"), std::string::npos);
  std::ifstream file(trace);
  EXPECT_FALSE(json::parse(file).at("traceEvents").empty());
  std::filesystem::remove(trace);
}

TEST(ExecuteCommand, ATimeOutIsToldAndFailsTheRun) {
  const ProgramResult result = run_berth(
      "execute workload:ffnn:2 --topology uniform:2 --policies round-robin --timeout 10ms --json");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(json::parse(result.standard_output).at("status"), "time-out");
}

TEST(ExecuteCommand, NamesTheOptionOfTheLinksThatIsWrong) {
  const auto refusal = [](const std::string& options) {
    const ProgramResult result =
        run_berth(std::string("execute ") + kChain + "--policies heft " + options);
    EXPECT_EQ(result.exit_code, 2) << options;
    return result.standard_error;
  };

  EXPECT_EQ(refusal("--bandwidth -1GB/s").find("berth: --bandwidth: "), 0U);
  EXPECT_EQ(refusal("--bandwidth 0GB/s --latency 1us").find("berth: --bandwidth: '0GB/s'"), 0U);
  EXPECT_EQ(refusal("--bandwidth 1GB/s --latency -1us").find("berth: --latency: "), 0U);
  EXPECT_NE(refusal("--executor 'cuda('").find("executor 'cuda(': the parenthesis"),
            std::string::npos);
}

TEST(ExecuteCommand, RefusesARunOfNothingAndUnknownOptionsOfTheExecutor) {
  EXPECT_EQ(run_berth(std::string("execute ") + kChain).exit_code, 2);
  const ProgramResult typo = run_berth(std::string("execute ") + kChain +
                                       "--policies heft --executor 'cpu(core_per_device=1)'");
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.standard_error.find("cores_per_device"), std::string::npos);
}

TEST(CalibrateCommand, WritesATopologyAndAGraphThatOtherCommandsRead) {
  const std::string topology = ::testing::TempDir() + "berth_calibrated.json";
  const std::string graph = ::testing::TempDir() + "berth_calibrated_graph.json";
  const ProgramResult result = run_berth(std::string("calibrate ") + kChain +
                                         "--fit 2 --compare 4 --repeats 2 --json --out " +
                                         topology + " --graph-out " + graph);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const json line = json::parse(result.standard_output);
  EXPECT_EQ(line.at("placements"), 4);
  // As given, fitted, op by op, run by run, and the first repeat beside the second.
  ASSERT_EQ(line.at("costs").size(), 5U);
  EXPECT_EQ(line.at("costs").at(3).at("costs"), "measured run by run");
  EXPECT_GT(line.at("costs").at(4).at("predicted_over_measured").get<double>(), 0.0);
  std::set<std::string> names;
  for (const json& rate : line.at("rates")) {
    names.insert(rate.at("name").get<std::string>());
  }
  EXPECT_EQ(names, (std::set<std::string>{"add", "add-partials", "contract"}));
  for (const std::string& words :
       {kChain + std::string("--topology ") + topology, graph + " --topology " + topology}) {
    const std::string place = "place " + words.substr(0, words.find(' ')) + " --topology " +
                              topology + " --policy heft --model pull --json";
    EXPECT_EQ(run_berth(place).exit_code, 0) << place;
  }
  std::filesystem::remove(topology);
  std::filesystem::remove(graph);
}

TEST(CalibrateCommand, SaysHowOpsVaryWhereEnoughRunsTell) {
  const ProgramResult result =
      run_berth(std::string("calibrate ") + kChain + "--fit 30 --compare 4 --repeats 2 --json");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const json line = json::parse(result.standard_output);
  EXPECT_GT(line.at("variation").get<double>(), 0.0);
}

TEST(CalibrateCommand, FailsIfNoPlacementRan) {
  const ProgramResult result =
      run_berth(std::string("calibrate ") + kChain + "--compare 2 --timeout 1ns");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.standard_error.find("took longer than 1 ns"), std::string::npos)
      << result.standard_error;
}

TEST(CalibrateCommand, RefusesAGraphWhoseCostsAreTimes) {
  const ProgramResult result =
      run_berth("calibrate workload:ffnn:2 --topology uniform:2 --compare 2");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.standard_error.find("costs are times"), std::string::npos);
}

}  // namespace
}  // namespace berth::launcher
