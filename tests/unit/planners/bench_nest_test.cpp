// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "launcher/bench_nest_report.hpp"
#include "launcher/published_nest.hpp"
#include "tests/run_program.hpp"

namespace berth::launcher {
namespace {

using testing::run_berth;

CaseResult result_of(std::vector<PlannerResult> results, const PublishedPoint* point = nullptr) {
  return {{"figure5", "m", "c", 8, 1, point}, std::move(results)};
}

PlannerResult time_of(double seconds, double best_cuts = 0.0) {
  return {seconds, best_cuts, 0.1, "p1 d1 t1", seconds == 0.0 ? "no room" : ""};
}

TEST(BenchNest, GainsAreGeometricMeansOverTheCasesThatBothPlannersPlan) {
  // 2 and 8 over 1: the mean is 4; the third case has no plan of the second planner.
  const std::vector<CaseResult> results = {result_of({time_of(1.0), time_of(2.0, 1.5)}),
                                           result_of({time_of(1.0), time_of(8.0)}),
                                           result_of({time_of(1.0), time_of(0.0)})};

  EXPECT_DOUBLE_EQ(measured_gain(results, 1, false).mean, 4.0);
  EXPECT_EQ(measured_gain(results, 1, false).cases, 2U);
  EXPECT_DOUBLE_EQ(measured_gain(results, 1, true).mean, 1.5);
  const auto planners = parse_policies("nest,manual");
  const std::string text = bench_text(planners, results);
  EXPECT_NE(text.find("4.000 (2)"), std::string::npos);
  EXPECT_NE(text.find("manual: no room"), std::string::npos);
}

TEST(BenchNest, PlannersAreRightAlignedAndLeftOutWhereNoneRan) {
  const std::vector<CaseResult> results = {result_of({time_of(1.0), time_of(2.0, 1.5)}),
                                           result_of({time_of(1.0), time_of(12.0)})};

  const std::string text = bench_text(parse_policies("nest,manual,exhaustive"), results);
  EXPECT_EQ(text.find("exhaustive"), std::string::npos) << text;
  EXPECT_NE(text.find("         manual\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  2.000 (1.500)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("         12.000\n"), std::string::npos) << text;
}

TEST(BenchNest, PublishedMeansOfFigureFiveAreThoseOfTheAbstract) {
  std::vector<CaseResult> results;
  for (const PublishedPoint& point : published_points()) {
    if (point.experiment == "figure5") {
      results.push_back(result_of({time_of(1.0)}, &point));
    }
  }
  EXPECT_EQ(results.size(), 25U);
  // The table's own geometric means; averages claimed in the text are 1.59, 1.71, 2.43 and 1.19.
  EXPECT_NEAR(published_gain(results, "manual")->mean, 1.58, 0.01);
  EXPECT_NEAR(published_gain(results, "mcmc")->mean, 1.70, 0.01);
  EXPECT_NEAR(published_gain(results, "alpa")->mean, 2.42, 0.01);
  EXPECT_NEAR(published_gain(results, "phaze")->mean, 1.15, 0.01);
  EXPECT_FALSE(published_gain(results, "uniform").has_value());
}

TEST(BenchNest, NoPlannerOfEqualDegreesBeatsEnumerationAndNestEqualsIt) {
  const auto result = run_berth("bench nest --experiment exhaustive --quick --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  std::map<std::string, double> seconds;
  std::istringstream lines(result.standard_output);
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text);
    if (line.contains("seconds_per_batch")) {
      seconds[line.at("planner")] = line.at("seconds_per_batch");
    }
  }
  ASSERT_EQ(seconds.count("exhaustive"), 1U) << result.standard_output;
  ASSERT_EQ(seconds.count("nest"), 1U);
  EXPECT_LE(seconds["nest"], seconds["exhaustive"] * (1.0 + 1e-9));
  for (const char* planner : {"manual", "uniform", "phaze", "mist"}) {
    EXPECT_GE(seconds.at(planner), seconds["exhaustive"] * (1.0 - 1e-9)) << planner;
  }
}

TEST(BenchNest, ASubsetPrintsTablesAndWritesAPage) {
  const std::string page = ::testing::TempDir() + "bench_nest.html";

  const auto result = run_berth(
      "bench nest --experiment figure5 --quick --planners "
      "'nest,manual,random(evaluations=20)' --html " +
      page);

  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(result.standard_output.find("bert-large tpuv4-fattree-64 m1"), std::string::npos);
  EXPECT_NE(result.standard_output.find("published"), std::string::npos);
  std::ifstream file(page);
  const std::string html(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(html.find("<table>"), std::string::npos);
}

TEST(BenchNest, FaultsNameTheOption) {
  EXPECT_EQ(run_berth("bench nest --experiment figure7").exit_code, 2);
  EXPECT_EQ(run_berth("bench nest --artifact /nowhere").exit_code, 2);
  EXPECT_EQ(run_berth("bench nest --artifact /tmp --quick").exit_code, 2);
  EXPECT_EQ(run_berth("bench nests").exit_code, 2);
  EXPECT_NE(run_berth("bench nests").standard_error.find("did you mean 'nest'?"),
            std::string::npos);
  EXPECT_NE(run_berth("bench --help").standard_output.find("nest"), std::string::npos);
}

TEST(PlanCommand, ManualSaysWhichDegreesExceedTheDevices) {
  const auto refused =
      run_berth("plan llama3-8b --cluster h100-node-4 --planner 'manual(tensor=8,stages=4)'");
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_NE(refused.standard_error.find(
                "tensor x stages = 8 x 4 = 32 exceeds the 4 devices of h100-node-4"),
            std::string::npos)
      << refused.standard_error;
}

TEST(PlanCommand, AnyPlannerPlansAndRefusesFlagsThatItHasNot) {
  const std::string words = "plan bert-large --cluster h100-node-4 --global-batch 32 ";
  const auto result = run_berth(words + "--planner 'manual(tensor=2)' --json");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(nlohmann::json::parse(result.standard_output).at("tensor"), 2);
  const auto refused = run_berth(words + "--planner uniform --pin tp=2");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.standard_error.find("planner uniform has no option pin"), std::string::npos);
}

}  // namespace
}  // namespace berth::launcher
