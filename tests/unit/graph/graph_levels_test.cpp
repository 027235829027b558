// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/graph_levels.hpp"

#include <gtest/gtest.h>

namespace berth {
namespace {

// 0 -> 1 -> 3, 0 -> 2 -> 3 with work 1, 2, 3, 4 and transfers 10, 1, 1, 1 in edge order.
Graph unequal_diamond() {
  GraphBuilder builder;
  for (const double work : {1.0, 2.0, 3.0, 4.0}) {
    OpSpec op;
    op.work = work;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{1}, 10.0).add_edge(OpId{0}, OpId{2}, 1.0);
  builder.add_edge(OpId{1}, OpId{3}, 1.0).add_edge(OpId{2}, OpId{3}, 1.0);
  return builder.freeze();
}

TEST(BottomLevels, IncludeTheOpsOwnTimeAndTheTransfersBelow) {
  const Graph graph = unequal_diamond();

  // 3: 4; 1: 2 + 1 + 4 = 7; 2: 3 + 1 + 4 = 8; 0: 1 + max(10 + 7, 1 + 8) = 18.
  EXPECT_EQ(bottom_levels(graph, graph.work(), graph.edge_size()),
            (std::vector<double>{18, 7, 8, 4}));
  // Free transfers: 1 + 3 + 4 = 8.
  EXPECT_EQ(bottom_levels(graph, graph.work(), {}), (std::vector<double>{8, 6, 7, 4}));
}

TEST(TopLevels, AreTheEarliestStartsOnUnlimitedDevices) {
  const Graph graph = unequal_diamond();

  // 1: 1 + 10 = 11; 2: 1 + 1 = 2; 3: max(11 + 2 + 1, 2 + 3 + 1) = 14.
  EXPECT_EQ(top_levels(graph, graph.work(), graph.edge_size()),
            (std::vector<double>{0, 11, 2, 14}));
}

TEST(CriticalPath, FollowsTheLongestWayDown) {
  const Graph graph = unequal_diamond();

  EXPECT_EQ(critical_path(graph, graph.work(), graph.edge_size()),
            (std::vector<OpId>{OpId{0}, OpId{1}, OpId{3}}));
  EXPECT_EQ(critical_path(graph, graph.work(), {}), (std::vector<OpId>{OpId{0}, OpId{2}, OpId{3}}));
}

}  // namespace
}  // namespace berth
