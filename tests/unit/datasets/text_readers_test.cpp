// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "datasets/dot_text.hpp"
#include "datasets/fajsp_text.hpp"
#include "datasets/graph_formats.hpp"
#include "datasets/hetero_table.hpp"
#include "datasets/jobshop_text.hpp"
#include "datasets/stg_text.hpp"
#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::MemoryLogger;
using tests::message_of;
using Reader = Graph (*)(const SourceText&, Logger&);

Graph read(Reader reader, std::string_view text) {
  MemoryLogger logger;
  return reader({"f", std::string(text)}, logger);
}

std::string refusal(Reader reader, std::string_view text) {
  return message_of([&] { static_cast<void>(read(reader, text)); });
}

constexpr std::string_view kStg = "2\n0 0 0\n1 9 1 0\n2 4 1 0\n3 0 2 1 2\n# trailer\n";

TEST(StgText, KeepsTheDummiesAndReadsPredecessors) {
  const Graph graph = read(read_stg, kStg);

  ASSERT_EQ(graph.num_ops(), 4U);
  EXPECT_EQ(graph.work()[1], 9.0);
  EXPECT_EQ(graph.predecessors(OpId{3}).size(), 2U);
  EXPECT_EQ(graph.seconds_per_unit(), 1.0);
  EXPECT_EQ(read(read_stg, write_stg(graph)).hash(), graph.hash());
}

TEST(StgText, NamesLineFoundAndExpected) {
  EXPECT_EQ(refusal(read_stg, ""),
            "f:1: the file ends; expected the number of tasks without the two dummies");
  EXPECT_EQ(refusal(read_stg, "2\n0 0 0\n1 9 1 0\n"), "f:4: the file ends; expected task 2 of 4");
  EXPECT_EQ(refusal(read_stg, "0\n0 0 0\n1 5 2 0\n"),
            "f:3: '1 5 2 0'; expected task 1: id, time, number of predecessors and their ids");
  EXPECT_EQ(refusal(read_stg, "0\n0 0 0\n1 0 1 7\n"),
            "f:3: predecessor 7; expected an integer below 2");
  EXPECT_EQ(refusal(read_stg, "0\n0 0 0\n1 nan 0\n"),
            "f:3: 'nan' is not a number >= 0; expected task 1 of 2");
  EXPECT_EQ(refusal(read_stg, "0\n0 0 1 1\n1 0 1 0\n"),
            "f: cycle of 2 ops: op0 -> op1 -> op0; expected an acyclic graph");
}

TEST(StgText, RefusesToWriteWhatItCannotHold) {
  const Graph graph = read(read_dot, "digraph { 0 [Weight=1]; 1 [Weight=2]; 0 -> 1 [Weight=3] }");

  EXPECT_EQ(message_of([&] { static_cast<void>(write_stg(graph)); }),
            "graph 'f': STG cannot hold edge sizes; write it as 'berth'");
}

TEST(DotText, OrdersNodesByTheirNumbersWhereTheyAreAllThere) {
  const Graph graph = read(read_dot,
                           "digraph \"a#1\" {\n2 [Weight=30];\n0 [Weight=10];\n1 [Weight=20];\n"
                           "2 -> 0 [Weight=5];\n0 -> 1;\n}");

  EXPECT_EQ(graph.name(), "a#1");
  EXPECT_EQ(graph.work()[2], 30.0);
  EXPECT_EQ(graph.successors(OpId{2})[0], OpId{0});
  EXPECT_EQ(graph.edge_size()[graph.out_offsets()[2]], 5.0);
  EXPECT_EQ(graph.edge_size()[graph.out_offsets()[0]], 0.0);
}

TEST(DotText, OrdersNamedNodesByAppearanceAndTakesDefaultsChainsAndComments) {
  const Graph graph = read(read_dot, R"(// a comment
    strict DIGRAPH {
      /* another */ rankdir=LR; graph [bgcolor="white"];
      node [size=7]; edge [size="2.5", color=red]
      subgraph cluster_1 { root; "mid dle" [label="x\"y", kind=mul; cost=4] }
      root:s -> "mid dle" -> données;
    })");

  ASSERT_EQ(graph.num_ops(), 3U);
  EXPECT_EQ(graph.op_name(OpId{0}), "root");
  EXPECT_EQ(graph.op_name(OpId{1}), "x\"y");
  EXPECT_EQ(graph.kind(OpId{1}), "mul");
  EXPECT_EQ(graph.work()[1], 4.0);
  EXPECT_EQ(graph.work()[2], 7.0);
  EXPECT_EQ(graph.edge_size()[1], 2.5);
}

TEST(DotText, ReadsBackWhatItWrites) {
  const Graph graph =
      read(read_dot, "digraph { b [cost=0.1, kind=\"a\\\\b\"]; a [cost=3]; b->a [cost=2] }");

  const Graph again = read(read_dot, write_dot(graph));

  EXPECT_EQ(again.hash(), graph.hash());
  EXPECT_EQ(again.op_name(OpId{0}), "b");
}

TEST(DotText, ReadsTheEmptyGraphAndManyOps) {
  EXPECT_EQ(read(read_dot, "digraph{}").num_ops(), 0U);
  std::string text = "digraph {";
  for (int i = 0; i < 30000; ++i) {
    text += " n" + std::to_string(i) + " [size=1]; n0 -> n" + std::to_string(i + 1);
  }
  EXPECT_EQ(read(read_dot, text + " [size=1]; n30000 [size=1] }").num_ops(), 30001U);
}

TEST(DotText, NamesLineFoundAndExpected) {
  EXPECT_EQ(refusal(read_dot, "hello"), "f:1: 'hello'; expected 'digraph'");
  EXPECT_EQ(refusal(read_dot, "graph { a -- b }"), "f:1: 'graph'; expected 'digraph'");
  EXPECT_EQ(refusal(read_dot, "digraph {\na [size=1]\n"),
            "f:3: the file ends; expected a node, an edge or '}'");
  EXPECT_EQ(refusal(read_dot, "digraph {\na [size=-1] }"),
            "f:2: size is '-1'; expected a finite number >= 0");
  EXPECT_EQ(refusal(read_dot, "digraph { a -> b }"),
            "f:1: node 'a' has no cost; expected an attribute Weight, weight, cost or size");
  EXPECT_EQ(refusal(read_dot, "digraph { node [size=1]; a -- b }"),
            "f:1: '--'; expected '->' (a directed graph)");
  EXPECT_EQ(refusal(read_dot, "digraph { node [size=1]; a -> a }"),
            "f:1: 'a' (op 0): depends on itself (self-loop)");
  EXPECT_EQ(refusal(read_dot, "digraph { a \"open"),
            "f:1: a text that does not end; expected '\"'");
  EXPECT_EQ(refusal(read_dot, "digraph { a -> { b c } }"),
            "f:1: '{'; expected edges between nodes, not subgraphs");
  EXPECT_EQ(refusal(read_dot, "digraph { a [size=1] } }"),
            "f:1: '}'; expected the end of the file");
  EXPECT_EQ(refusal(read_dot, "digraph { ! }"), "f:1: '!'; expected a name or one of {}[]=;,->");
}

TEST(HeteroTable, HasATimeForEachDevice) {
  const Graph graph =
      read(read_hetero_table,
           "#critical\n0.0\n#tasks\n0: 5, 10.5\n1: 10,5 \n#edges\n0:  0,  1, 4\n#end\n");

  ASSERT_EQ(graph.table_devices(), 2U);
  EXPECT_EQ(graph.device_time()[1], 10.5);
  EXPECT_EQ(graph.work()[1], 5.0);
  EXPECT_EQ(graph.edge_size()[0], 4.0);
}

TEST(HeteroTable, NamesLineFoundAndExpected) {
  EXPECT_EQ(refusal(read_hetero_table, "#critical\n0\n"), "f:3: the file ends; expected #end");
  EXPECT_EQ(refusal(read_hetero_table, "#tasks\n1: 5\n"),
            "f:2: '1: 5'; expected '0: time, time, ...'");
  EXPECT_EQ(refusal(read_hetero_table, "#tasks\n0: 5, x\n"), "f:2: 'x' is not a number");
  EXPECT_EQ(refusal(read_hetero_table, "#tasks\n0: 5\n1: 5, 6\n#end"),
            "f:3: op1: device_time has 2 values; expected 1 as the ops before");
  EXPECT_EQ(refusal(read_hetero_table, "#tasks\n0: 5\n#edges\n0: 0, -1, 3\n#end"),
            "f:4: '0: 0, -1, 3'; expected 'from, to, cost'");
  EXPECT_EQ(refusal(read_hetero_table, "#takss\n"),
            "f:1: '#takss'; expected #critical, #tasks, #edges or #end");
}

TEST(FajspText, BindsOpsToTheirEligibleDevices) {
  const Graph graph = read(read_fajsp, "2 1 3\n0 1 0\n2 0 25 2 37\n1 1 32");

  ASSERT_EQ(graph.table_devices(), 3U);
  EXPECT_EQ(graph.device_time()[0], 25.0);
  EXPECT_TRUE(std::isinf(graph.device_time()[1]));
  EXPECT_EQ(graph.eligible(OpId{0}).size(), 2U);
  EXPECT_EQ(graph.work()[0], 25.0);
  EXPECT_EQ(graph.num_edges(), 1U);
}

TEST(FajspText, NamesLineFoundAndExpected) {
  EXPECT_EQ(refusal(read_fajsp, "1 0 0\n"),
            "f:1: '1 0 0'; expected ops, precedences and devices (1 to 4096)");
  EXPECT_EQ(refusal(read_fajsp, "1 0 2\n1 2 5\n"), "f:2: device 2; expected an integer below 2");
  EXPECT_EQ(refusal(read_fajsp, "1 0 2\n0\n"),
            "f:2: '0'; expected a count >= 1, then as many pairs of device and duration");
  EXPECT_EQ(refusal(read_fajsp, "1 0 2\n2 0 5 0 6\n"), "f:2: device 0 stands twice");
  EXPECT_EQ(refusal(read_fajsp, "1 1 2\n0 3 0\n"), "f:2: op 3; expected an integer below 1");
  EXPECT_EQ(refusal(read_fajsp, "1 0 2\n"), "f:2: the file ends; expected the devices of op 0");
}

TEST(JobshopText, ChainsTheOpsOfEachJob) {
  const Graph graph = read(read_jobshop, "# two jobs\n2 3\n2 1  0 3\n1 8  2 5  0 4\n");

  ASSERT_EQ(graph.num_ops(), 5U);
  EXPECT_EQ(graph.num_edges(), 3U);
  EXPECT_EQ(graph.op_name(OpId{3}), "job1.1");
  EXPECT_EQ(graph.eligible(OpId{3})[0], DeviceId{2});
  EXPECT_EQ(graph.device_time()[3 * 3 + 2], 5.0);
}

TEST(JobshopText, NamesLineFoundAndExpected) {
  EXPECT_EQ(refusal(read_jobshop, "1 2\n0 1 1\n"),
            "f:2: 3 numbers; expected pairs of device and duration");
  EXPECT_EQ(refusal(read_jobshop, "1 2\n2 1\n"), "f:2: device 2; expected an integer below 2");
  EXPECT_EQ(refusal(read_jobshop, "2 2\n0 1\n"),
            "f:3: the file ends; expected job1: pairs of device and duration");
  EXPECT_EQ(refusal(read_jobshop, "1 2\n0 1\n0 1\n"), "f:3: '0 1' after the last job");
}

TEST(TextReaders, RefuseALineOfSeparatorsWhereNumbersBelong) {
  EXPECT_EQ(refusal(read_fajsp, "1 0 2\n, ;\n"),
            "f:2: ', ;' holds no number; expected the devices of op 0");
  EXPECT_EQ(refusal(read_fajsp, ",\n").substr(0, 22), "f:1: ',' holds no numb");
  EXPECT_EQ(refusal(read_jobshop, "1 1\n;\n").substr(0, 22), "f:2: ';' holds no numb");
  EXPECT_EQ(refusal(read_stg, ",\n").substr(0, 22), "f:1: ',' holds no numb");
}

TEST(DetectFormat, GoesByExtensionThenContent) {
  const auto format = [](const char* place, std::string_view text) {
    const GraphFormat* const found = detect_format({place, std::string(text)});
    return found == nullptr ? std::string_view("none") : found->name;
  };

  EXPECT_EQ(format("a.stg", kStg), "stg");
  EXPECT_EQ(format("a.txt", kStg), "stg");
  EXPECT_EQ(format("a.gv", ""), "dot");
  EXPECT_EQ(format("a", "digraph {}"), "dot");
  EXPECT_EQ(format("a", "#critical\n0"), "hetero");
  EXPECT_EQ(format("a", "2 1 3\n"), "fajsp");
  EXPECT_EQ(format("ft06", "#++\n6 6\n"), "jobshop");
  EXPECT_EQ(format("a.txt", "1\n\n\n\n5,20\n"), "doppler");
  EXPECT_EQ(format("a.json", R"({"edges":[],"maxFPGAs":1})"), "msr-fiddle");
  EXPECT_EQ(format("a.json", R"({"name":"x","workflow":{}})"), "wfformat");
  EXPECT_EQ(format("a.json", R"({"ops":[]})"), "berth");
  EXPECT_EQ(format("a.json", R"({"format":"berth.topology"})"), "none");
  EXPECT_EQ(format("LICENSE", "MIT License\n"), "none");
  EXPECT_EQ(format("empty", ""), "none");
}

}  // namespace
}  // namespace berth::datasets
