// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/berth_graph_json.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::MemoryLogger;
using tests::message_of;

std::string berth_refusal(const std::string& text) {
  MemoryLogger logger;
  return message_of([&] { static_cast<void>(read_berth_graph({"g.json", text}, logger)); });
}

/// A time graph around the given ops and edges.
std::string time_graph(const std::string& ops, const std::string& edges) {
  return R"({"format":"berth.graph","version":1,"costs":"time","seconds_per_unit":1,"ops":[)" +
         ops + R"(],"edges":[)" + edges + "]}";
}

TEST(BerthGraphJson, KeepsEveryFieldInARoundTrip) {
  GraphBuilder builder("every \"field\"\n");
  builder.cost_basis(CostBasis::kTime, 1e-13);
  OpSpec first;
  first.name = "グラフ";
  first.kind = "matmul";
  first.work = 0.1;
  first.output_bytes = 9007199254740991.0;
  first.touched_bytes = 1e-300;
  first.memory_bytes = 3.0;
  first.device_time = {1.5, std::numeric_limits<double>::infinity()};
  first.eligible = {DeviceId{0}};
  OpSpec second;
  second.device_time = {2.0, 3.0};
  builder.add_op(first);
  builder.add_op(second);
  builder.add_edge(OpId{0}, OpId{1}, 1.0 / 3.0);
  const Graph graph = builder.freeze();
  MemoryLogger logger;

  const Graph again = read_berth_graph({"g.json", write_berth_graph(graph)}, logger);

  EXPECT_EQ(again.hash(), graph.hash());
  EXPECT_EQ(again.name(), graph.name());
  EXPECT_EQ(again.op_name(OpId{0}), "グラフ");
  EXPECT_TRUE(std::isinf(again.device_time()[1]));
  EXPECT_TRUE(logger.lines.empty());
}

TEST(BerthGraphJson, TakesKeysInAnyOrder) {
  MemoryLogger logger;

  const Graph graph = read_berth_graph(
      {"g.json",
       R"({"edges":[{"to":1,"size_bytes":8,"from":0}],"ops":[{"flops":1},{"flops":2}],)"
       R"("version":1,"costs":"physical","format":"berth.graph"})"},
      logger);

  ASSERT_EQ(graph.num_edges(), 1U);
  EXPECT_EQ(graph.cost_basis(), CostBasis::kPhysical);
  EXPECT_EQ(graph.edge_size()[0], 8.0);
}

TEST(BerthGraphJson, WarnsOnceOfRepeatedNamesAndOfMergedEdges) {
  MemoryLogger logger;

  const Graph graph = read_berth_graph(
      {"g.json",
       time_graph(R"({"name":"a","time_units":1},{"name":"a","time_units":1})",
                  R"({"from":0,"to":1,"time_units":1},{"from":0,"to":1,"time_units":1})")},
      logger);

  EXPECT_EQ(graph.num_edges(), 1U);
  ASSERT_EQ(logger.lines.size(), 2U);
  EXPECT_EQ(logger.lines[0],
            "g.json: 1 ops repeat an earlier name, first: 'a'; names are labels, ops are told "
            "apart by id");
}

TEST(BerthGraphJson, TakesTheLeastDeviceTimeForAnOpWithoutWork) {
  MemoryLogger logger;

  const Graph graph =
      read_berth_graph({"g.json", time_graph(R"({"device_time_units":[5,null,3]})", "")}, logger);

  EXPECT_EQ(graph.work()[0], 3.0);
}

TEST(BerthGraphJson, NamesTheKeyOfAWrongValue) {
  EXPECT_EQ(berth_refusal(time_graph(R"({"time_units":-1})", "")),
            "g.json:/ops/0: op0: work is -1; expected a finite number >= 0");
  EXPECT_EQ(berth_refusal(time_graph(R"({"time_unit":1})", "")),
            "g.json:/ops/0: unknown key 'time_unit'; did you mean 'time_units'?");
  EXPECT_EQ(berth_refusal(time_graph(R"({"time_units":"1s"})", "")),
            "g.json:/ops/0/time_units: found '1s'; expected a number, an object or a list, not "
            "text");
  EXPECT_EQ(berth_refusal(time_graph(R"({"flops":1})", "")),
            "g.json:/ops/0/flops: a key of physical costs; expected only keys of costs \"time\"");
  EXPECT_EQ(berth_refusal(time_graph(R"({"name":"a"})", "")),
            "g.json:/ops/0: no cost; expected time_units (costs \"time\") or flops (costs "
            "\"physical\")");
  EXPECT_EQ(berth_refusal(time_graph(R"({"id":4,"time_units":1})", "")),
            "g.json:/ops/0: id 4; expected 0: an op's id is its position in the list");
  EXPECT_EQ(berth_refusal(time_graph(R"({"time_units":1})", R"({"from":0,"to":3,"time_units":1})")),
            "g.json:/edges/0: edge: op 3 does not exist; there are 1 ops");
  EXPECT_EQ(berth_refusal(time_graph(R"({"time_units":1})", R"({"from":0,"to":0,"time_units":1})")),
            "g.json:/edges/0: op0: depends on itself (self-loop)");
  EXPECT_EQ(
      berth_refusal(time_graph(R"({"time_units":1})", R"({"from":0,"to":0.5,"time_units":1})")),
      "g.json:/edges/0/to: 0.5 is not an id; expected an integer from 0");
}

TEST(BerthGraphJson, RefusesForeignNewerAndTruncatedFiles) {
  EXPECT_EQ(berth_refusal(R"({"version":1,"ops":[],"edges":[]})"),
            "g.json: no key 'format'; expected \"format\": \"berth.graph\"");
  EXPECT_EQ(berth_refusal(R"({"format":"berth.graph","version":2,"costs":"time"})"),
            "g.json: version 2 of berth.graph; this berth reads version 1");
  EXPECT_EQ(
      berth_refusal(R"({"format":"berth.graph","version":1,"costs":"time","ops":[],"edges":[]})"),
      "g.json: no key 'seconds_per_unit'; expected the seconds in one time unit");
  EXPECT_EQ(berth_refusal(time_graph("", "").substr(0, 30)).rfind("g.json:1: not JSON: ", 0), 0U);
}

TEST(BerthGraphJson, NeverCrashesOnAPrefixOrAChangedByte) {
  const std::string text = time_graph(R"({"name":"a","time_units":1},{"device_time_units":[1]})",
                                      R"({"from":0,"to":1,"time_units":1})");
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(berth_refusal(text.substr(0, i)), "") << i;
    std::string changed = text;
    changed[i] = '\x01';
    EXPECT_NE(berth_refusal(changed), "") << i;
  }
}

}  // namespace
}  // namespace berth::datasets
