// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
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

TEST(ExecuteCommand, SaysWhichNoiseTheSimulatedColumnHas) {
  const ProgramResult result =
      run_berth(std::string("execute ") + kChain +
                "--policies heft --compute-noise 0.3 --transfer-noise 0.05 --noise-seed 7");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(result.standard_output.find(
                "simulated under pull with noise 0.3 on ops and 0.05 on transfers (seed 7); 1"),
            std::string::npos)
      << result.standard_output;
}

TEST(ExecuteCommand, ATimeOutIsToldAndFailsTheRun) {
  const ProgramResult result = run_berth(
      "execute workload:ffnn:2 --topology uniform:2 --policies round-robin --timeout 10ms --json");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(json::parse(result.standard_output).at("status"), "time-out");
}

TEST(ExecuteCommand, AFailureHasNoMedianAndNoTrace) {
  const std::string trace = ::testing::TempDir() + "berth_no_trace.json";
  const ProgramResult result = run_berth(std::string("execute ") + kChain +
                                         "--policies heft --timeout 1ns --json --trace " + trace);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(json::parse(result.standard_output).at("median_seconds").is_null());
  EXPECT_NE(result.standard_error.find("no trace written"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST(ExecuteCommand, LinksThatTheExecutorEmulatesAreSimulated) {
  const ProgramResult result = run_berth(
      "execute workload:chain-mm:2:physical:i32j32k32l32m32 --topology cpu:2 "
      "--policies heft --repeats 1 --json --executor 'cpu(emulate_links=true)'");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(json::parse(result.standard_output).at("model"), "links");

  const ProgramResult both = run_berth(
      "execute workload:chain-mm:2:physical:i32j32k32l32m32 --topology cpu:2 "
      "--policies heft --latency 1us --executor 'cpu(emulate_links=false)'");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.standard_error.find("berth: --latency: executor 'cpu(emulate_links=false)'"), 0U)
      << both.standard_error;
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
  const auto names = [&line](const char* key) {
    std::set<std::string> found;
    for (const json& rate : line.at(key)) {
      found.insert(rate.at("name").get<std::string>());
    }
    return found;
  };
  EXPECT_EQ(names("rates"), (std::set<std::string>{"add", "add-partials", "contract"}));
  EXPECT_EQ(names("shape_rates"),
            (std::set<std::string>{"add i16 j32",
                                   "add-partials i16 j32",
                                   "add-partials k16 j32",
                                   "contract i16 j32 / k8",
                                   "contract i16 j32 / m8",
                                   "contract k16 j32 / l8"}));
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
  EXPECT_EQ(line.at("costs").at(2).at("costs"), "fitted rates, varied");
}

/// The chain, with `change` made to each of its ops.
std::string changed_chain(const std::function<void(json&)>& change) {
  const std::string path = ::testing::TempDir() + "berth_changed_chain.json";
  const ProgramResult made = run_berth(
      "graph generate chain-mm --devices 2 --costs physical --extents i32j32k32l32m32 --out " +
      path);
  EXPECT_EQ(made.exit_code, 0) << made.standard_error;
  std::ifstream in(path);
  json graph = json::parse(in);
  std::ranges::for_each(graph.at("ops"), change);
  std::ofstream(path) << graph;
  return path;
}

TEST(CalibrateCommand, FitsAGraphThatHasTimesToWhatItMeasures) {
  // An hour an op: any of it in what is fitted would show.
  const std::string graph = changed_chain([](json& op) {
    op["device_seconds"] = json::array({3600.0, 3600.0});
  });
  const std::string topology = ::testing::TempDir() + "berth_changed_chain_topology.json";

  const ProgramResult result = run_berth("calibrate " + graph +
                                         " --topology cpu:2 --fit 8 --compare 4 --repeats 4 "
                                         "--json --out " +
                                         topology);

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const json line = json::parse(result.standard_output);
  EXPECT_GT(line.at("costs").at(0).at("predicted_over_measured").get<double>(), 1e6);
  for (std::size_t row = 1; row < 4; ++row) {
    const auto ratio = line.at("costs").at(row).at("predicted_over_measured").get<double>();
    EXPECT_GT(ratio, 0.1) << row;
    EXPECT_LT(ratio, 10.0) << row;
  }
  std::filesystem::remove(graph);
  std::filesystem::remove(topology);
}

TEST(CalibrateCommand, PutsOpsOnlyWhereTheyMayRun) {
  const std::string listed = changed_chain([](json& op) {
    op["eligible_devices"] = json::array({op.at("kind") == "formation" ? 1 : 0});
  });
  EXPECT_EQ(run_berth("calibrate " + listed + " --topology cpu:2 --fit 2 --compare 2 --repeats 2")
                .exit_code,
            0);
  const std::string timed = changed_chain([](json& op) {
    op["device_seconds"] = json::array({nullptr, 1e-5});
  });
  const std::string out = ::testing::TempDir() + "berth_timed_chain.json";
  EXPECT_EQ(run_berth("calibrate " + timed +
                      " --topology cpu:2 --fit 2 --compare 2 --repeats 2 --graph-out " + out)
                .exit_code,
            0);
  const ProgramResult placed = run_berth("place " + out + " --topology cpu:2 --policy heft --json");
  ASSERT_EQ(placed.exit_code, 0) << placed.standard_error;
  std::ifstream in(out);
  const json written = json::parse(in);
  EXPECT_EQ(written.at("ops").at(0).at("eligible_devices"), json::array({1}));
  std::filesystem::remove(timed);
  std::filesystem::remove(out);
}

TEST(CalibrateCommand, CountsWhatDidNotRunWhereItBelongs) {
  const std::string path = ::testing::TempDir() + "berth_small_box.json";
  const auto calibrated_with = [&path](const std::string& memory, const std::string& options) {
    std::ofstream(path) << R"({"format": "berth.topology", "version": 1, "name": "box", "devices": [
    {"name": "small", "peak": "1GFLOPS", "memory_bandwidth": "1GB/s", "memory": ")"
                        << memory << R"("},
    {"name": "large", "peak": "1GFLOPS", "memory_bandwidth": "1GB/s", "memory": "1GiB"}],
    "links": [{"name": "link", "bandwidth": "1GB/s", "latency": "1us"}],
    "routes": [{"from": 0, "to": 1, "links": [0]}, {"from": 1, "to": 0, "links": [0]}]})";
    return run_berth("calibrate workload:chain-mm:2:physical:i32j32k32l32m32 --topology " + path +
                     " --repeats 2 " + options);
  };
  // All on the small device, 64 KiB and some, is too much; half of it is not.
  const ProgramResult alone = calibrated_with("56KiB", "--fit 3 --compare 8 --json");
  ASSERT_EQ(alone.exit_code, 0) << alone.standard_error;
  const json line = json::parse(alone.standard_output);
  EXPECT_EQ(line.at("placements"), 8);
  EXPECT_EQ(line.at("failed"), 0);
  EXPECT_EQ(line.at("failed_beside"), 1);
  EXPECT_NE(line.at("reason").get<std::string>().find("small"), std::string::npos);

  const ProgramResult some = calibrated_with("44KiB", "--fit 0 --compare 20 --balance any --json");
  ASSERT_EQ(some.exit_code, 0) << some.standard_error;
  const json counts = json::parse(some.standard_output);
  EXPECT_GT(counts.at("failed"), 0);
  EXPECT_EQ(counts.at("failed").get<int>() + counts.at("placements").get<int>(), 20);

  // Whatever has an op on the small device does not fit, so nothing that is compared runs.
  const ProgramResult result = calibrated_with("1KiB", "--fit 3 --compare 5");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.standard_error.find("0 of 5 placements"), std::string::npos)
      << result.standard_error;
  EXPECT_NE(result.standard_error.find("small"), std::string::npos) << result.standard_error;
  std::filesystem::remove(path);
}

TEST(CalibrateCommand, PrintsWhatItFoundAlsoWhereAFileCannotBeWritten) {
  const ProgramResult result =
      run_berth(std::string("calibrate ") + kChain + "--compare 2 --repeats 2 --out /dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.standard_output.find("rank correlation"), std::string::npos);
  EXPECT_NE(result.standard_error.find("/dev/full: cannot write"), std::string::npos);
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
