// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "op_levels.hpp"

#include <gtest/gtest.h>

#include "path_rows.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

TEST(OpLevels, BLevelAddsCommunicationAlongTheLongestPath) {
  const auto problem = diamond(2);

  const Levels b = b_levels(problem->graph, mean_costs(*problem));

  // d: 1; b: 2+10+1; c: 3+10+1; a: 1+10+14.
  EXPECT_EQ(b.level, (std::vector<double>{25, 13, 14, 1}));
  EXPECT_EQ(b.next, (std::vector<std::int64_t>{2, 3, 3, 4}));
}

TEST(OpLevels, TLevelTakesTheProducersOutputCost) {
  const auto problem = diamond(2);

  const Levels t = t_levels(problem->graph, mean_costs(*problem), LevelCost::kProducer);

  // a: 1; b: 2+10+1; c: 3+10+1; d: 1+10+14.
  EXPECT_EQ(t.level, (std::vector<double>{1, 13, 14, 25}));
  EXPECT_EQ(t.next, (std::vector<std::int64_t>{4, 0, 0, 2}));
}

TEST(OpLevels, TLevelAsTheReferenceTakesTheOpsOwnOutputCost) {
  const auto problem = diamond(2);

  const Levels t = t_levels(problem->graph, mean_costs(*problem), LevelCost::kOwn);

  // The sink has no output: d adds nothing for its inputs: 1 + 0 + 14.
  EXPECT_EQ(t.level, (std::vector<double>{1, 13, 14, 15}));
}

TEST(PathRows, DepthFirstOrderVisitsChildrenInEdgeOrder) {
  const auto problem = diamond(2);

  EXPECT_EQ(depth_first_order(problem->graph, Direction::kForward),
            (std::vector<std::int64_t>{0, 1, 3, 2}));
  EXPECT_EQ(depth_first_order(problem->graph, Direction::kBackward),
            (std::vector<std::int64_t>{3, 1, 0, 2}));
}

}  // namespace
}  // namespace berth::doppler
