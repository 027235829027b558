// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
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

/// A folder of graphs in seconds: a fork of a (1) into b (2) and c (2), edges cost 3.
class CommandContract : public ::testing::Test {
 protected:
  CommandContract() : folder_(::testing::TempDir() + "berth_contract_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    write("fork-2.dot", kFork);
  }
  ~CommandContract() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static std::vector<json> lines(const ProgramResult& result) {
    std::vector<json> rows;
    std::istringstream text(result.standard_output);
    for (std::string line; std::getline(text, line);) {
      rows.push_back(json::parse(line));
    }
    return rows;
  }

  static void expect_keys(const json& row, const std::set<std::string>& keys) {
    for (const std::string& key : keys) {
      EXPECT_TRUE(row.contains(key)) << key << " is missing in " << row.dump();
    }
  }

  static constexpr const char* kFork =
      "digraph { 0 [size=1]; 1 [size=2]; 2 [size=2]; 0 -> 1 [size=3]; 0 -> 2 [size=3]; }";

 private:
  std::string folder_;
};

TEST_F(CommandContract, ComparePrintsALineForEachGraphAndPolicy) {
  write("cases.csv", "graph,devices,optimum\nfork-2.dot,2,5\nfork-2.dot,1,5\n");

  const ProgramResult result =
      run_berth("compare --cases '" + path("cases.csv") +
                "' --policies 'heft,annealing(simulations=100)' --seed 1 --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const std::vector<json> rows = lines(result);
  ASSERT_EQ(rows.size(), 4U);
  for (const json& row : rows) {
    expect_keys(row,
                {"graph",
                 "policy",
                 "makespan",
                 "makespan_seconds",
                 "lower_bound",
                 "optimum",
                 "gap",
                 "simulations",
                 "seconds",
                 "placement_hash"});
    // A second device would get b or c at 1 + 3 and end it at 6, one device ends at 1 + 2 + 2.
    EXPECT_EQ(row["makespan"], 5.0);
    EXPECT_EQ(row["makespan_seconds"], 5.0);
    EXPECT_EQ(row["gap"], 0.0);
  }
  EXPECT_EQ(rows[0]["devices"], 2);
  EXPECT_EQ(rows[2]["devices"], 1);
}

TEST_F(CommandContract, CompareTakesTheDeviceCountFromTheNameOfAFile) {
  const ProgramResult result =
      run_berth("compare '" + path("fork-2.dot") +
                "' --devices-from-name '-([0-9]+)\\.dot$' --policies heft --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(lines(result).at(0)["devices"], 2);
  EXPECT_FALSE(lines(result).at(0).contains("optimum"));
}

TEST_F(CommandContract, SimulatePlaysALineOfDeviceIds) {
  const std::string placement = write("p.txt", "0,0,1\n");
  for (const std::string model : {"delay", "doppler-reference", "links", "fair"}) {
    const ProgramResult result =
        run_berth("simulate '" + path("fork-2.dot") + "' --topology uniform:2 --model " + model +
                  " --placement '" + placement + "' --json");

    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    const json row = lines(result).at(0);
    expect_keys(
        row, {"graph", "model", "makespan", "makespan_seconds", "lower_bound", "ops", "devices"});
    EXPECT_EQ(row["model"], model);
    // The one transfer leaves at 1 and arrives at 4; c runs until 6.
    EXPECT_EQ(row["makespan"], 6.0);
    EXPECT_EQ(row["ops"], 3);
  }
}

TEST_F(CommandContract, PlaceWritesWhatSimulateReads) {
  const std::string problem = "'" + path("fork-2.dot") + "' --topology uniform:2 ";

  const ProgramResult placed =
      run_berth("place " + problem + "--policy heft --out '" + path("p.json") + "' --trace '" +
                path("t.json") + "' --json");
  const ProgramResult played =
      run_berth("simulate " + problem + "--placement '" + path("p.json") + "' --json");

  ASSERT_EQ(placed.exit_code, 0) << placed.standard_error;
  EXPECT_EQ(lines(placed).at(0)["makespan"], lines(played).at(0)["makespan"]);
  std::ifstream trace(path("t.json"));
  EXPECT_EQ(json::parse(trace).at("traceEvents").back().at("ph").get<std::string>().size(), 1U);
}

TEST_F(CommandContract, PlanPrintsALineForEachPlanAndPricesTheFileItWrote) {
  const std::string model = "plan llama3-8b --cluster h100-spineleaf-64 --json ";

  const ProgramResult planned = run_berth(model + "--top-k 2 --out '" + path("plan.json") + "'");
  const ProgramResult priced = run_berth(model + "--evaluate '" + path("plan.json") + "'");

  ASSERT_EQ(planned.exit_code, 0) << planned.standard_error;
  ASSERT_EQ(priced.exit_code, 0) << priced.standard_error;
  const std::vector<json> plans = lines(planned);
  ASSERT_EQ(plans.size(), 2U);
  expect_keys(plans[0], {"model_hash", "cluster_hash", "seconds_per_batch", "stages", "tensor"});
  EXPECT_LE(plans[0]["seconds_per_batch"], plans[1]["seconds_per_batch"]);
  EXPECT_EQ(lines(priced).at(0), plans[0]);
}

TEST_F(CommandContract, HelpNamesTheWordsThatStandForAGraph) {
  for (const char* command : {"place", "compare", "simulate", "graph info", "graph convert"}) {
    const ProgramResult help = run_berth(std::string(command) + " --help");
    EXPECT_NE(help.standard_output.find("random:FAMILY[:OPS[:CCR[:SEED]]]"), std::string::npos)
        << command;
  }
  const ProgramResult graph = run_berth("graph --help");
  EXPECT_NE(graph.standard_output.find("random:FAMILY:OPS:CCR:SEED"), std::string::npos);
  const ProgramResult generate = run_berth("graph generate --help");
  EXPECT_EQ(generate.standard_output.find("random:FAMILY"), std::string::npos);
}

TEST_F(CommandContract, ExitCodesTellBadInputFromAnUnknownPlugin) {
  const std::string graph = "'" + path("fork-2.dot") + "' ";

  EXPECT_EQ(run_berth("compare " + graph + "--topology uniform:2 --policies nosuch").exit_code, 3);
  EXPECT_EQ(run_berth("compare " + graph + "--policies heft").exit_code, 2) << "no topology";
  EXPECT_EQ(run_berth("").exit_code, 2);
  std::vector<const char*> commands = {"place",
                                       "compare",
                                       "simulate",
                                       "plan",
                                       "schedule",
                                       "checkpoint",
                                       "plugins",
                                       "options",
                                       "graph"};
#ifdef BERTH_HAS_MPI
  commands.push_back("train");
#endif
  for (const char* command : commands) {
    const ProgramResult help = run_berth(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_NE(help.standard_output.find("usage: berth " + std::string(command)), std::string::npos);
    EXPECT_NE(help.standard_output.find("--json"), std::string::npos) << command;
  }
}

TEST_F(CommandContract, AnOpThatNoDeviceRunsIsInfeasibleWhateverIsAsked) {
  const std::string graph = "'" + write("far.json", R"({
    "format": "berth.graph", "version": 1, "costs": "time", "seconds_per_unit": 1,
    "ops": [{"name": "near", "time_units": 1},
            {"name": "far", "time_units": 1, "eligible_devices": [2, 5]}], "edges": []})") +
                            "' --topology uniform:2 ";
  const std::string placement = write("p.txt", "0,1\n");
  for (const std::string& words : {"place " + graph + "--policy heft",
                                   "compare " + graph,
                                   "simulate " + graph + "--placement '" + placement + "'"}) {
    const ProgramResult result = run_berth(words);
    EXPECT_EQ(result.exit_code, 4) << words;
    for (const char* part : {"far (op 1)", "devices 2, 5 alone", "devices 0 to 1"}) {
      EXPECT_NE(result.standard_error.find(part), std::string::npos) << result.standard_error;
    }
  }
}

TEST_F(CommandContract, AnOpWithoutATimeWhereItIsEligibleIsToldSo) {
  const std::string graph = write("mute.json", R"({
    "format": "berth.graph", "version": 1, "costs": "time", "seconds_per_unit": 1,
    "ops": [{"name": "mute", "time_units": 1, "device_time_units": [3, null],
             "eligible_devices": [1]}], "edges": []})");

  const ProgramResult result = run_berth("place '" + graph + "' --topology uniform:2 --policy mct");

  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.standard_error.find("mute (op 0) is eligible on device 1 alone, and has no time "
                                       "there"),
            std::string::npos)
      << result.standard_error;
}

TEST_F(CommandContract, APolicyThatFindsNoPlacementLeavesTheOthersTheirRows) {
  // Two ops of 2 B on devices of 3 B: one each, but not both on one.
  const std::string wide = "compare '" + write("wide.json", R"({
    "format": "berth.graph", "version": 1, "costs": "time", "seconds_per_unit": 1,
    "ops": [{"name": "a", "time_units": 1, "memory_bytes": 2},
            {"name": "b", "time_units": 1, "memory_bytes": 2}], "edges": []})") +
                           "' ";
  const std::string small = "'" + write("small.json", R"({
    "format": "berth.graph", "version": 1, "costs": "time", "seconds_per_unit": 1,
    "ops": [{"name": "a", "time_units": 5, "memory_bytes": 2}], "edges": []})") +
                            "' ";
  const std::string tight = "--topology '" + write("tight.json", R"({
    "format": "berth.topology", "version": 1, "name": "tight",
    "devices": [{"peak": "1TFLOPS", "memory": "3B"}, {"peak": "1TFLOPS", "memory": "3B"}],
    "all_pairs": {"bandwidth": "1GB/s", "latency": "0us"}})") +
                            "' --policies single-device";
  const std::string words = wide + small + tight + ",heft";

  const ProgramResult table = run_berth(words + " --against heft");
  EXPECT_EQ(table.exit_code, 4) << table.standard_error;
  for (const char* part : {"policy=single-device", "wide.json"}) {
    EXPECT_NE(table.standard_error.find(part), std::string::npos) << table.standard_error;
  }
  // By graph: heft's two rows and single-device's one.
  const std::string rows = table.standard_output.substr(0, table.standard_output.find("mean gap"));
  const auto count = [&rows](const char* word) {
    std::size_t found = 0;
    for (std::size_t at = rows.find(word); at != std::string::npos; at = rows.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("heft"), 2U) << table.standard_output;
  EXPECT_EQ(count("single-device"), 1U) << table.standard_output;

  const ProgramResult lines = run_berth(words + " --json");
  EXPECT_EQ(lines.exit_code, 4);
  EXPECT_NE(lines.standard_output.find(R"("policy":"single-device","error":)"), std::string::npos)
      << lines.standard_output;

  const ProgramResult none = run_berth(wide + tight);
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(none.standard_output, "");
}

TEST_F(CommandContract, GraphsThatTakeNoTimeCountAndLeaveTheMeanAlone) {
  // Ops without duration: free on one device, a transfer of 3 where they are apart.
  const auto two_ops = [this](const std::string& name, const char* time) {
    return " '" +
           write(name + ".json",
                 R"({
      "format": "berth.graph", "version": 1, "costs": "time", "seconds_per_unit": 1,
      "ops": [{"name": "a", "time_units": )" +
                     std::string(time) + R"(},
              {"name": "b", "time_units": )" +
                     time + R"(}],
      "edges": [{"from": 0, "to": 1, "time_units": 3}]})") +
           "'";
  };
  const std::string graphs = two_ops("none", "0") + two_ops("some", "2");

  const ProgramResult result = run_berth("compare" + graphs +
                                         " --topology uniform:2 --discipline fifo --policies "
                                         "'round-robin,single-device' --against single-device "
                                         "--json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const std::vector<json> rows = lines(result);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0]["makespan"], 3.0);
  EXPECT_TRUE(rows[0]["gap"].is_null());  // 3 over 0
  EXPECT_EQ(rows[1]["gap"], 0.0);         // 0 over 0
  EXPECT_EQ(rows[4]["graphs"], 2);
  EXPECT_EQ(rows[4]["worse"], 2);
  EXPECT_EQ(rows[4]["makespan_ratio"], 1.75);  // (2 + 3 + 2) / (2 + 2) of the graph with times
  EXPECT_TRUE(rows[4]["worst_ratio"].is_null());
}

TEST_F(CommandContract, FlopsOnATopologyWithoutRatesAreWarnedOf) {
  const auto warns = [](const std::string& graph, const std::string& topology) {
    const ProgramResult result =
        run_berth("compare " + graph + " --policies heft --topology " + topology);
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return result.standard_error.find("use a topology with rates") != std::string::npos;
  };

  EXPECT_TRUE(warns("workload:chain-mm:2:physical:i32j32k32l32m32", "uniform:2"));
  EXPECT_FALSE(warns("workload:chain-mm:2:physical:i32j32k32l32m32", "cpu:2"));
  EXPECT_FALSE(warns("workload:chain-mm:4:physical", "p100"));
  EXPECT_FALSE(warns("workload:chain-mm:2", "uniform:2"));
}

TEST_F(CommandContract, AnErrorNamesTheProgramOnce) {
  const ProgramResult result = run_berth("place '" + path("fork-2.dot") + "'");

  EXPECT_EQ(result.standard_error,
            "berth place: expected --policy; see berth plugins for what there is\n");
}

TEST_F(CommandContract, OptionsListsTheTopologiesThatCanBeWrittenInPlace) {
  const ProgramResult result = run_berth("options topologies --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(lines(result).at(0)["topology"], "uniform:N");
  EXPECT_GE(lines(result).size(), 5U);
}

}  // namespace
}  // namespace berth::launcher
