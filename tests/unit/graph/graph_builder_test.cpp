// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/graph.hpp"

namespace berth {
namespace {

Graph diamond() {
  GraphBuilder builder("diamond");
  for (const double work : {1.0, 2.0, 3.0, 4.0}) {
    OpSpec op;
    op.work = work;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{2}, 5.0).add_edge(OpId{0}, OpId{1}, 6.0);
  builder.add_edge(OpId{1}, OpId{3}, 7.0).add_edge(OpId{2}, OpId{3}, 8.0);
  return builder.freeze();
}

std::string message_of(GraphBuilder& builder) {
  try {
    static_cast<void>(builder.freeze());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GraphBuilder, KeepsTheFilesOrderOfASourcesEdges) {
  const Graph graph = diamond();

  ASSERT_EQ(graph.num_ops(), 4U);
  ASSERT_EQ(graph.num_edges(), 4U);
  EXPECT_EQ(graph.successors(OpId{0})[0], OpId{2});
  EXPECT_EQ(graph.successors(OpId{0})[1], OpId{1});
  EXPECT_EQ(graph.edge_size()[0], 5.0);
  EXPECT_EQ(graph.predecessors(OpId{3}).size(), 2U);
}

TEST(GraphBuilder, OrdersTopologicallyByKahnWithSuccessorsInEdgeOrder) {
  const Graph graph = diamond();

  const auto order = graph.topological_order();
  EXPECT_EQ(std::vector<OpId>(order.begin(), order.end()),
            (std::vector<OpId>{OpId{0}, OpId{2}, OpId{1}, OpId{3}}));
}

TEST(GraphBuilder, RejectsACycleByNamingIt) {
  GraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) {
    OpSpec op;
    op.name = name;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{1}, 0).add_edge(OpId{1}, OpId{2}, 0).add_edge(OpId{2}, OpId{1}, 0);

  EXPECT_EQ(message_of(builder),
            "cycle of 2 ops: 'b' (op 1) -> 'c' (op 2) -> 'b' (op 1); expected an acyclic graph");
}

TEST(GraphBuilder, RejectsASelfLoopAnUnknownOpAndBadNumbers) {
  GraphBuilder builder;
  builder.add_op({});
  OpSpec negative;
  negative.work = -1.0;
  OpSpec not_a_number;
  not_a_number.memory_bytes = std::numeric_limits<double>::quiet_NaN();

  EXPECT_THROW(builder.add_edge(OpId{0}, OpId{0}, 1.0), InputError);
  EXPECT_THROW(builder.add_edge(OpId{0}, OpId{9}, 1.0), InputError);
  EXPECT_THROW(builder.add_op(negative), InputError);
  EXPECT_THROW(builder.add_op(not_a_number), InputError);
}

TEST(GraphBuilder, MergesParallelEdgesByAddingSizesAndSaysSoOnce) {
  GraphBuilder builder;
  builder.add_op({});
  builder.add_op({});
  builder.add_edge(OpId{0}, OpId{1}, 2.0).add_edge(OpId{0}, OpId{1}, 3.0);

  const Graph graph = builder.freeze();

  EXPECT_EQ(graph.num_edges(), 1U);
  EXPECT_EQ(graph.edge_size()[0], 5.0);
  ASSERT_EQ(builder.warnings().size(), 1U);
  EXPECT_EQ(builder.warnings()[0], "1 parallel edge merged, sizes added; first: op0 -> op1");
}

TEST(Graph, HashSeesCostsAndStructureButNotNames) {
  const Graph a = diamond();
  GraphBuilder builder("other");
  for (const double work : {1.0, 2.0, 3.0, 4.0}) {
    OpSpec op;
    op.name = "named";
    op.work = work;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{2}, 5.0).add_edge(OpId{0}, OpId{1}, 6.0);
  builder.add_edge(OpId{1}, OpId{3}, 7.0).add_edge(OpId{2}, OpId{3}, 8.5);

  EXPECT_EQ(a.hash(), diamond().hash());
  EXPECT_NE(a.hash(), builder.freeze().hash());
}

TEST(Graph, ShapesOfKernelsAreTheirFunctionsAndExtents) {
  const auto shape = [](const char* kernel) {
    GraphBuilder builder;
    OpSpec op;
    op.kernel = kernel;
    builder.add_op(op);
    return builder.freeze().rate_shape(OpId{0});
  };

  EXPECT_EQ(shape("contract n0:8 s128:256 / d0:64 ; nsd@1 ; nd#0*0.5"), "contract n8 s128 / d64");
  EXPECT_EQ(shape("affine s4:6 *0.5 +1e-06 ; s@1"), "affine s2");
  EXPECT_EQ(shape("complex-multiply t0:4 c0:3 =2 ; tc@1 ; tc@2"), "complex-multiply t4 c3 =2");
  EXPECT_EQ(shape(""), "");
  // Not kernels: left as they are, for those to refuse that run them.
  EXPECT_EQ(shape("exp"), "exp");
  EXPECT_EQ(shape("exp s4:4 s s: s1 s0:9x : s0:99999999999"),
            "exp s4:4 s s: s1 s0:9x : s0:99999999999");
}

TEST(Graph, OfNothingIsLegal) {
  GraphBuilder builder;

  const Graph graph = builder.freeze();

  EXPECT_EQ(graph.num_ops(), 0U);
  EXPECT_EQ(graph.num_edges(), 0U);
  EXPECT_TRUE(graph.topological_order().empty());
}

}  // namespace
}  // namespace berth
