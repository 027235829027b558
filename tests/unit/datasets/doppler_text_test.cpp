// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/doppler_text.hpp"

#include <gtest/gtest.h>

#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::MemoryLogger;
using tests::message_of;

Graph read(std::string_view text) {
  MemoryLogger logger;
  return read_doppler_text({"d.txt", std::string(text)}, logger);
}

std::string doppler_refusal(std::string_view text) {
  return message_of([&] { static_cast<void>(read(text)); });
}

// Four nodes, one of them an input: three ops a -> b, a -> c.
constexpr std::string_view kTyped =
    "4\n0, \n0, 0, \n1, 2, \n10,40,einsummable\n20,80,formation\n30,120,formation";

TEST(DopplerText, LeavesInputsOutAndTakesAnEdgesSizeFromItsSource) {
  const Graph graph = read(kTyped);

  ASSERT_EQ(graph.num_ops(), 3U);
  ASSERT_EQ(graph.num_edges(), 2U);
  EXPECT_EQ(graph.name(), "d");
  EXPECT_EQ(graph.work()[2], 30.0);
  EXPECT_EQ(graph.edge_size()[1], 40.0);
  EXPECT_EQ(graph.output_bytes()[2], 120.0);
  EXPECT_EQ(graph.kind(OpId{0}), "einsummable");
  EXPECT_EQ(graph.seconds_per_unit(), 1e-13);
}

TEST(DopplerText, ReadsUntypedNodesAndCarriageReturns) {
  const Graph graph = read("2\r\n\r\n0\r\n1\r\n5,20\r\n6,24\r\n");

  ASSERT_EQ(graph.num_ops(), 2U);
  EXPECT_EQ(graph.kind(OpId{0}), "unknown");
  EXPECT_EQ(graph.edge_size()[0], 20.0);
}

TEST(DopplerText, ReadsTheEmptyGraphAndAGraphOfInputsOnly) {
  EXPECT_EQ(read("0\n\n\n\n").num_ops(), 0U);
  EXPECT_EQ(read("2\n0,1\n\n\n").num_ops(), 0U);
}

TEST(DopplerText, RoundTripsThroughItsWriter) {
  const Graph graph = read(kTyped);

  EXPECT_EQ(read(write_doppler_text(graph)).hash(), graph.hash());
}

TEST(DopplerText, NamesFileLineFoundAndExpected) {
  EXPECT_EQ(doppler_refusal(""), "d.txt:1: the file ends; expected the number of nodes");
  EXPECT_EQ(doppler_refusal("2\n\n0\n1\n5,20\n"),
            "d.txt:5: the file ends after 1 nodes; expected 2");
  EXPECT_EQ(doppler_refusal("1\n\n\n\n5,-20\n"),
            "d.txt:5: '5,-20'; expected comp,comm or comp,comm,type with integers from 0 to 2^53");
  EXPECT_EQ(doppler_refusal("2\n\n0,0\n1\n5,20\n5,20\n"),
            "d.txt:4: 1 destinations; line 3 has 2 sources");
  EXPECT_EQ(doppler_refusal("2\n\n0\n7\n5,20\n5,20\n"),
            "d.txt:3: edge 0 -> 7: no op 7; the file has 2 ops");
  EXPECT_EQ(doppler_refusal("1\n0,1\n\n\n"), "d.txt:2: 2 input nodes; line 1 has 1 nodes in all");
  EXPECT_EQ(doppler_refusal("x\n\n\n\n"),
            "d.txt:1: 'x' is not an integer from 0 to 2^53; expected the number of nodes");
  EXPECT_EQ(doppler_refusal("1\n\n\n\n5,20,\xFF\n"),
            "d.txt: kind '\xFF' is not UTF-8; expected UTF-8 text");
  EXPECT_EQ(doppler_refusal("2\n\n0,1\n1,0\n5,20\n5,20\n"),
            "d.txt: cycle of 2 ops: op0 -> op1 -> op0; expected an acyclic graph");
}

TEST(DopplerText, RefusesToWriteWhatItCannotHold) {
  GraphBuilder builder("g");
  builder.cost_basis(CostBasis::kPhysical);
  builder.add_op({});
  const Graph graph = builder.freeze();

  EXPECT_EQ(message_of([&] { static_cast<void>(write_doppler_text(graph)); }),
            "graph 'g': DOPPLER text cannot hold physical costs; write it as 'berth'");
}

}  // namespace
}  // namespace berth::datasets
