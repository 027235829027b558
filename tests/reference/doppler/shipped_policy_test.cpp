// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference_data.hpp"
#include "tests/run_program.hpp"

// The policy that ships, on graphs that its campaign (datasets/campaigns/general.toml) did not
// hold.
namespace berth {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;

const std::string kGreedy = "doppler(samples=0,search=0,heuristics=false)";
const std::string kSampled = "doppler(search=0,heuristics=false)";
const std::string kDefault = "doppler";

/// Makespans relative to HEFT by policy, a value a graph.
std::map<std::string, std::vector<double>> ratios_to_heft(const std::string& graphs) {
  const ProgramResult result = run_berth("compare " + graphs + " --json --policies 'heft," +
                                         kGreedy + "," + kSampled + "," + kDefault + "'");
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  std::map<std::string, std::vector<double>> ratios;
  std::istringstream lines(result.standard_output);
  double heft = 0.0;
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    const auto makespan = row.at("makespan").get<double>();
    if (row.at("policy") == "heft") {
      heft = makespan;
    } else {
      ratios[row.at("policy").get<std::string>()].push_back(makespan / heft);
    }
  }
  return ratios;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

void expect_better_than_heft(const std::string& graphs) {
  auto ratios = ratios_to_heft(graphs);
  ASSERT_FALSE(ratios[kDefault].empty());
  EXPECT_LT(geometric_mean(ratios[kDefault]), 1.0) << graphs;
  EXPECT_LT(geometric_mean(ratios[kSampled]), 1.0) << graphs;
  for (const double ratio : ratios[kDefault]) {
    EXPECT_LE(ratio, 1.0 + 1e-12) << "HEFT's placement is one of those considered";
  }
}

TEST(ShippedPolicy, PlacesWithoutTrainingAndSaysWhichWeightsItUsed) {
  const ProgramResult place =
      run_berth("place workload:ffnn:4 --topology uniform:4 --policy doppler --json");
  ASSERT_EQ(place.exit_code, 0) << place.standard_error;
  EXPECT_EQ(place.standard_error, "");
  const auto line = nlohmann::json::parse(place.standard_output);
  EXPECT_TRUE(
      line.at("weights").get<std::string>().ends_with("share/berth/checkpoints/doppler.h5"));

  const ProgramResult fresh = run_berth(
      "place workload:ffnn:4 --topology uniform:4 --policy doppler --checkpoint none --json");
  ASSERT_EQ(fresh.exit_code, 0) << fresh.standard_error;
  EXPECT_EQ(nlohmann::json::parse(fresh.standard_output).at("weights"), "untrained");
  EXPECT_NE(fresh.standard_error.find("untrained"), std::string::npos);
}

TEST(ShippedPolicy, IsWeightsAndOptionsAlone) {
  const std::string shipped = BERTH_BINARY_DIR "/share/berth/checkpoints/doppler.h5";
  const std::string again = ::testing::TempDir() + "berth_weights_" + std::to_string(getpid());

  const std::string link = again + "_link";  // the file that it leads to is written
  std::filesystem::create_symlink(again, link);

  const ProgramResult trimmed = run_berth("checkpoint weights '" + shipped + "' '" + link + "'");
  const ProgramResult same = run_berth("checkpoint diff '" + shipped + "' '" + again + "'");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  std::filesystem::remove(link);
  std::filesystem::remove(again);

  EXPECT_EQ(trimmed.exit_code, 0) << trimmed.standard_error;
  EXPECT_EQ(same.exit_code, 0) << same.standard_output;
}

TEST(CompareAgainst, CountsWinsAndLossesAndTakesTheGeometricMean) {
  // Two equal ops without edges on two devices: half the time of one device. A chain of one op: the
  // same. The geometric mean of 1/2 and 1 is 0.7071.
  const ProgramResult result = run_berth(
      "compare random:independent:2:1:5 random:chains:1:1:1 --topology uniform:2 --policies "
      "single-device,round-robin --against single-device");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const std::string& text = result.standard_output;
  const std::string row = text.substr(std::min(text.size(), text.rfind("round-robin")));
  double mean = 0.0;
  int better = 0, equal = 0, worse = 0;
  std::istringstream(row.substr(std::min<std::size_t>(row.size(), 11))) >> mean >> better >>
      equal >> worse;
  EXPECT_NEAR(mean, 0.7071, 1e-9) << text;
  EXPECT_EQ(better, 1);
  EXPECT_EQ(equal, 1);
  EXPECT_EQ(worse, 0);

  const ProgramResult refused =
      run_berth("compare random:chains:4 --topology uniform:2 --policies heft --against peft");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.standard_error.find("--against 'peft': not one of --policies"),
            std::string::npos);
}

TEST(CompareAgainst, GoesByTheNamesOfPoliciesWhereAllAreRefined) {
  const ProgramResult result = run_berth(
      "compare random:cells:9:1:1 --topology uniform:2 --refine 50 --policies heft,round-robin "
      "--against heft");

  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(result.standard_output.find("makespan / heft"), std::string::npos);
}

TEST(CheckpointWeights, AreNotWrittenOverWhatIsNoFile) {
  const std::string pipe = ::testing::TempDir() + "berth_weights_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

  const ProgramResult result =
      run_berth("checkpoint weights " BERTH_SOURCE_DIR "/checkpoints/doppler.h5 " + pipe);

  EXPECT_EQ(result.exit_code, 2) << result.standard_error;
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::filesystem::remove(pipe);
}

TEST(ShippedPolicy, BeatsHeftOnAverageOnUnseenRandomGraphs) {
  std::string words;
  int seed = 9000;
  for (const char* family : {"layered",
                             "sparse",
                             "fork-join",
                             "in-tree",
                             "series-parallel",
                             "chains",
                             "stencil",
                             "cells",
                             "blocks"}) {
    for (const char* rest : {":24:0.5:", ":48:2:"}) {
      words += std::string(" random:") + family + rest + std::to_string(seed++);
    }
  }
  for (const char* topology : {"uniform:4", "mixed:4"}) {
    expect_better_than_heft(words + " --topology " + topology);
  }
}

TEST(ShippedPolicy, BeatsHeftOnAverageOnTheAucklandSample) {
  BERTH_NEEDS_REFERENCE_DATA("auckland/sample");
  expect_better_than_heft("'" + (reference_data() / "auckland/sample/21-nodes").string() +
                          "' --devices-from-name '-([0-9]+)\\.dot$'");
}

}  // namespace
}  // namespace berth
