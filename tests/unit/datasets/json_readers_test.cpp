// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "datasets/msr_fiddle_json.hpp"
#include "datasets/wfformat_json.hpp"
#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::MemoryLogger;
using tests::message_of;
using Reader = Graph (*)(const SourceText&, Logger&);

std::string json_refusal(Reader reader, const std::string& text) {
  MemoryLogger logger;
  return message_of([&] { static_cast<void>(reader({"f.json", text}, logger)); });
}

std::string msr(const std::string& nodes, const std::string& edges) {
  return R"({"maxSizePerFPGA":1,"maxFPGAs":2,"maxCPUs":1,"nodes":[)" + nodes + R"(],"edges":[)" +
         edges + "]}";
}

constexpr const char* kNode7 =
    R"({"id":7,"supportedOnFpga":1,"cpuLatency":10,"fpgaLatency":1,"isBackwardNode":false,)"
    R"("colorClass":1,"size":64})";
constexpr const char* kNode3 =
    R"({"id":3,"supportedOnFpga":false,"cpuLatency":20,"fpgaLatency":0,"isBackwardNode":1,)"
    R"("colorClass":1,"size":0})";

TEST(MsrFiddleJson, PutsAcceleratorsBeforeCpus) {
  MemoryLogger logger;

  const Graph graph = read_msr_fiddle(
      {"f.json",
       msr(std::string(kNode7) + "," + kNode3, R"({"sourceId":7,"destId":3,"cost":0.5})")},
      logger);

  ASSERT_EQ(graph.table_devices(), 3U);
  EXPECT_EQ(graph.device_time()[0], 1.0);
  EXPECT_EQ(graph.device_time()[2], 10.0);
  EXPECT_TRUE(std::isinf(graph.device_time()[3]));
  EXPECT_EQ(graph.device_time()[5], 20.0);
  EXPECT_EQ(graph.memory_bytes()[0], 64.0);
  EXPECT_EQ(graph.kind(OpId{1}), "backward");
  EXPECT_EQ(graph.edge_size()[0], 0.5);
}

TEST(MsrFiddleJson, NamesTheKeyOfAWrongValue) {
  EXPECT_EQ(json_refusal(read_msr_fiddle, msr(std::string(kNode7) + "," + kNode7, "")),
            "f.json:/nodes/1/id: id 7 stands twice; ids must be unique");
  EXPECT_EQ(json_refusal(read_msr_fiddle, msr(kNode7, R"({"sourceId":7,"destId":9,"cost":1})")),
            "f.json:/edges/0/destId: no node has id 9");
  EXPECT_EQ(
      json_refusal(read_msr_fiddle, msr(R"({"id":1,"supportedOnFpga":"yes","cpuLatency":1})", "")),
      "f.json:/nodes/0/supportedOnFpga: found string \"yes\"; expected true or false");
  EXPECT_EQ(json_refusal(read_msr_fiddle, msr(R"({"id":1,"supportedOnFpga":1})", "")),
            "f.json:/nodes/0: no key 'cpuLatency'");
  EXPECT_EQ(json_refusal(read_msr_fiddle, R"({"maxFPGAs":0,"maxCPUs":0,"nodes":[],"edges":[]})"),
            "f.json: 0 accelerators and 0 CPUs; expected 1 to 4096 devices");
}

std::string workflow(const std::string& tasks, const std::string& runtimes) {
  return R"({"name":"w","schemaVersion":"1.5","workflow":{"specification":{"tasks":[)" + tasks +
         R"(],"files":[{"id":"x","sizeInBytes":2000000000},{"id":"y","sizeInBytes":5}]},)"
         R"("execution":{"tasks":[)" +
         runtimes + "]}}}";
}

constexpr const char* kParent = R"({"id":"a","name":"n","children":["b"],"outputFiles":["x","y"]})";
constexpr const char* kChild = R"({"id":"b","name":"n","parents":["a"],"inputFiles":["x"]})";
constexpr const char* kRuntimes =
    R"({"id":"a","runtimeInSeconds":3.5},{"id":"b","runtimeInSeconds":0})";

TEST(WfFormatJson, JoinsTasksByTheFilesThatMove) {
  MemoryLogger logger;

  const Graph graph =
      read_wfformat({"f.json", workflow(std::string(kParent) + "," + kChild, kRuntimes)}, logger);

  ASSERT_EQ(graph.num_edges(), 1U);      // named by the parent and by the child, but one
  EXPECT_EQ(graph.edge_size()[0], 2.0);  // 2 GB at 1 GB/s
  EXPECT_EQ(graph.output_bytes()[0], 2000000005.0);
  EXPECT_EQ(graph.work()[0], 3.5);
  EXPECT_EQ(graph.work()[1], 0.0);
  ASSERT_EQ(logger.lines.size(), 1U);
  EXPECT_NE(logger.lines[0].find("1 ops repeat an earlier name, first: 'n'"), std::string::npos);
}

TEST(WfFormatJson, NamesTheKeyOfAWrongValue) {
  EXPECT_EQ(json_refusal(read_wfformat, workflow(std::string(kParent) + "," + kParent, kRuntimes)),
            "f.json:/workflow/specification/tasks/1/id: 'a' stands twice; ids must be unique");
  EXPECT_EQ(json_refusal(read_wfformat, workflow(kParent, kRuntimes)),
            "f.json:/workflow/specification/tasks/0/children: no task has id 'b'");
  EXPECT_EQ(json_refusal(read_wfformat, workflow(kParent, "")),
            "f.json:/workflow/specification/tasks/0/id: no runtimeInSeconds of 'a' in "
            "workflow.execution.tasks; expected one for every task");
  EXPECT_EQ(json_refusal(read_wfformat, "{\"workflow\":1}"),
            "f.json:/workflow: found number 1; expected an object {...}");
}

}  // namespace
}  // namespace berth::datasets
