// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/models/artifact_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"

namespace berth {
namespace {

using nlohmann::json;

json two_layers() {
  const json nodes = json::array({{{"id", 0},
                                   {"parameterSize", 40},
                                   {"activationSize", 7},
                                   {"optimalLatencyFw", 2.0},
                                   {"optimalLatencyBw", 3.0},
                                   {"isTensorParallelized", false}},
                                  {{"id", -1},
                                   {"parameterSize", 20},
                                   {"activationSize", 5},
                                   {"optimalLatencyFw", 0.5},
                                   {"optimalLatencyBw", 0.25},
                                   {"isTensorParallelized", false}}});
  const json edges = json::array({{{"sourceId", -1}, {"destId", 0}, {"communicationCost", 64}}});
  return {{"maxMemoryPerDevice", 1000},
          {"maxDevices", 4},
          {"bandwidth", 1},
          {"bws", {100, 50}},
          {"latency_per_level", {0.5, 1.0}},
          {"devices_per_level", {2, 2}},
          {"frequency", 1.05e6},
          {"mbsInBatch", 16.5},
          {"ep_degree", 1},
          {"cp_degree", 1},
          {"sp_enabled", false},
          {"activationRecomputation", true},
          {"optimizerAlgorithm", "Adam"},
          {"nodes", {{"1", nodes}}},
          {"edges", {{"1", edges}}}};
}

std::filesystem::path write(const json& content) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "berth données 1.json";
  std::ofstream(file) << content.dump();
  return file;
}

std::string message_of(const json& content) {
  try {
    static_cast<void>(
        datasets::read_artifact_file(write(content), datasets::ArtifactUnits::kMixed));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NestArtifactFile, ReadsUnitsAndOrder) {
  const auto file =
      datasets::read_artifact_file(write(two_layers()), datasets::ArtifactUnits::kConsistent);

  const StrategyProblem& problem = file.problem;
  EXPECT_EQ(problem.layers, (std::vector<std::string>{"-1", "0"}));
  EXPECT_DOUBLE_EQ(problem.configurations[0].costs[1].forward_seconds, 2e-3);
  EXPECT_DOUBLE_EQ(problem.configurations[0].costs[0].dense_parameters, 10.0);
  EXPECT_EQ(problem.configurations[0].micro_batches, 16U);  // the fraction is cut
  EXPECT_DOUBLE_EQ(problem.network.level(1).latency_seconds, 1e-3);
  EXPECT_DOUBLE_EQ(problem.network.level(0).bandwidth_bytes_per_second, 100.0);
  EXPECT_DOUBLE_EQ(problem.memory.optimizer_bytes, 12.0);
}

TEST(NestArtifactFile, MixedUnitsMakeLinksAThousandTimesFaster) {
  const auto file =
      datasets::read_artifact_file(write(two_layers()), datasets::ArtifactUnits::kMixed);

  EXPECT_DOUBLE_EQ(file.problem.network.level(0).bandwidth_bytes_per_second, 100e3);
}

TEST(NestArtifactFile, NamesTheFieldThatIsWrong) {
  json content = two_layers();
  content["nodes"]["1"][0]["optimalLatencyFw"] = -1;
  EXPECT_NE(message_of(content).find("/nodes/1/0/optimalLatencyFw: -1; expected a number from 0"),
            std::string::npos)
      << message_of(content);

  content = two_layers();
  content.erase("bws");
  EXPECT_NE(message_of(content).find("no field 'bws'"), std::string::npos);

  content = two_layers();
  content["devices_per_level"] = {2, 3};
  EXPECT_NE(message_of(content).find("product 6; expected maxDevices, 4"), std::string::npos);
}

TEST(NestArtifactFile, RefusesCyclesAndBranches) {
  json content = two_layers();
  content["edges"]["1"].push_back({{"sourceId", 0}, {"destId", -1}, {"communicationCost", 1}});
  EXPECT_NE(message_of(content).find("cycle"), std::string::npos);

  content = two_layers();
  content["edges"]["1"] = json::array();
  EXPECT_NE(message_of(content).find("expected a chain"), std::string::npos);
}

TEST(NestArtifactFile, SaysWhenAFileIsMissingOrTruncated) {
  EXPECT_THROW(static_cast<void>(datasets::read_artifact_file("/nowhere/plan.json",
                                                              datasets::ArtifactUnits::kMixed)),
               InputError);
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "berth truncated.json";
  std::ofstream(file) << two_layers().dump().substr(0, 40);

  EXPECT_THROW(
      static_cast<void>(datasets::read_artifact_file(file, datasets::ArtifactUnits::kMixed)),
      InputError);
}

}  // namespace
}  // namespace berth
