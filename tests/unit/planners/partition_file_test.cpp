// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/models/partition_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "tests/error_text.hpp"
#include "tests/run_program.hpp"

namespace berth {
namespace {

std::filesystem::path written(const std::string& name, const std::string& text) {
  const auto file = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file;
}

// Two nodes, an edge of 10 bytes, width 1 and 2; the wide variant synchronises 5 bytes.
const char* const kPiper = R"({"maxDevices": 2, "maxMemoryPerDevice": 1000, "bandwidth": 10,
 "mbsInBatch": 4, "edges": [{"sourceId": 7, "destId": 9, "communicationCost": 10}], "nodes": [
 {"id": 7, "name": "a", "TMPCs": {"1": [{"id": "vanilla", "timePerSample": 2, "parameterSize": 3,
  "memoryUsageA": 4, "memoryUsageB": 5, "syncTimeFw": {}, "syncTimeBw": {"9": 0}}]}},
 {"id": 9, "name": "b", "TMPCs": {"1": [{"id": "vanilla", "timePerSample": 6, "parameterSize": 0,
  "memoryUsageA": 0, "memoryUsageB": 0, "syncTimeFw": {"7": 0}, "syncTimeBw": {}}],
  "2": [{"id": "vanilla", "timePerSample": 3, "parameterSize": 0, "memoryUsageA": 0,
  "memoryUsageB": 0, "syncTimeFw": {"7": 5}, "syncTimeBw": {}}]}}]})";

const char* const kLoad = R"({"maxFPGAs": 2, "maxCPUs": 1, "maxSizePerFPGA": 8, "nodes": [
 {"id": 1, "supportedOnFpga": 1, "cpuLatency": 9, "fpgaLatency": 3, "isBackwardNode": false,
  "colorClass": 4, "size": 2},
 {"id": 5, "supportedOnFpga": 0, "cpuLatency": 1, "fpgaLatency": 3, "isBackwardNode": 0,
  "colorClass": 6, "size": 2},
 {"id": 8, "supportedOnFpga": true, "cpuLatency": 9, "fpgaLatency": 2, "isBackwardNode": 1,
  "colorClass": 4, "size": 1}],
 "edges": [{"sourceId": 1, "destId": 5, "cost": 0.5}, {"sourceId": 5, "destId": 8, "cost": 0.25}]})";

TEST(PartitionFile, PiperNumbersBecomeSecondsAndBytes) {
  const PartitionProblem problem = datasets::read_partition_file(written("piper.json", kPiper), {});

  EXPECT_EQ(problem.widths, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(problem.nodes[0].variants[1].empty());
  ASSERT_EQ(problem.transfers.size(), 1U);
  EXPECT_DOUBLE_EQ(problem.transfers[0].seconds, 2.0);  // there and back, 10 bytes at 10 bytes/s
  const PartitionVariant& wide = problem.nodes[1].variants[1][0];
  ASSERT_EQ(wide.at_border.size(), 1U);
  EXPECT_DOUBLE_EQ(wide.at_border[0].second, 1.0);

  // a on one device, b on one: 2 + 2 and 6 + 2; one sample of b and two of a in flight.
  PartitionPlan plan;
  plan.stages = {{{0}, {0}, false, 0, 1, 0, 0}, {{1}, {0}, false, 0, 1, 0, 0}};
  const PartitionScore score = score_partition(problem, plan);
  EXPECT_DOUBLE_EQ(score.seconds[0], 4.0);
  EXPECT_DOUBLE_EQ(score.seconds[1], 8.0);
  EXPECT_DOUBLE_EQ(score.memory_bytes[0], 4.0 * 2 + 5.0);
  // Both on two replicas: (2 + 6) / 2 + 4 (2 - 1) 3 / (2 x 4) / 10 = 4.15.
  plan.stages = {{{0, 1}, {0, 0}, false, 0, 2, 0, 0}};
  EXPECT_DOUBLE_EQ(score_partition(problem, plan).slowest_seconds, 4.15);
}

TEST(PartitionFile, MaximumLoadNodesOfAColourStayTogetherAndHostsPayNoTransfer) {
  const PartitionProblem problem = datasets::read_partition_file(written("load.json", kLoad), {});

  EXPECT_EQ(problem.nodes[0].group, problem.nodes[2].group);
  EXPECT_TRUE(problem.nodes[1].variants[0].empty());
  PartitionPlan plan;
  plan.stages = {{{0, 2}, {0, 0}, false, 0, 1, 0, 0}, {{1}, {}, true, 0, 1, 0, 0}};
  const PartitionScore score = score_partition(problem, plan);
  EXPECT_DOUBLE_EQ(score.seconds[0], 3.0 + 2.0 + 0.5 + 0.25);
  EXPECT_DOUBLE_EQ(score.seconds[1], 1.0);
  EXPECT_TRUE(score.contiguous);  // what flows back to the backward node does not count
}

TEST(PartitionFile, FaultsNameTheirPlace) {
  const auto with = [](std::string text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
    return written("fault.json", text);
  };
  const auto message = [](const std::filesystem::path& file) {
    return testing::error_text<InputError>(
        [&] { static_cast<void>(datasets::read_partition_file(file, {})); });
  };
  EXPECT_NE(message(with(kPiper, "\"destId\": 9", "\"destId\": 8")).find("/edges/0/destId: 8"),
            std::string::npos);
  EXPECT_NE(message(with(kPiper, "\"timePerSample\": 2", "\"timePerSample\": -2"))
                .find("/nodes/0/TMPCs/1/0/timePerSample: -2"),
            std::string::npos);
  EXPECT_NE(message(with(kPiper, "{\"9\": 0}", "{\"3\": 0}")).find("node '3'"), std::string::npos);
  EXPECT_NE(message(with(kLoad, "\"id\": 8", "\"id\": 5")).find("/nodes/2/id: 5"),
            std::string::npos);
  EXPECT_NE(message(written("none.json", "{}")).find("no layer graph to cut"), std::string::npos);
}

using testing::run_berth;

TEST(PlanCommand, CutsALayerGraphAndSaysWhatItCosts) {
  const auto file = written("piper command.json", kPiper);

  const auto result = run_berth("plan '" + file.string() + "' --json");

  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  const auto json = nlohmann::json::parse(result.standard_output);
  EXPECT_DOUBLE_EQ(json.at("slowest").get<double>(), 4.15);
  EXPECT_TRUE(json.at("optimal").get<bool>());
  const auto text = run_berth("plan '" + file.string() + "'");
  EXPECT_NE(text.standard_output.find("slowest stage 4.15000000 per sample"), std::string::npos);
}

TEST(PlanCommand, ALayerGraphThatDoesNotFitExitsFour) {
  const auto file = written("small.json", kPiper);

  const auto result = run_berth("plan '" + file.string() + "' --devices 1 --memory 8B");

  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.standard_error.find("infeasible: memory:"), std::string::npos);
  EXPECT_NE(result.standard_error.find("; devices: "), std::string::npos);
}

TEST(PlanCommand, OptionsOfTheOtherKindOfInputAreRefused) {
  const auto file = written("piper options.json", kPiper);
  EXPECT_EQ(run_berth("plan '" + file.string() + "' --cluster h100-node-8").exit_code, 2);
  EXPECT_EQ(run_berth("plan bert-large --cluster h100-node-8 --partitioner contiguous").exit_code,
            2);
}

}  // namespace
}  // namespace berth
