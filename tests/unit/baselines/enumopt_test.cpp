// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "enumopt.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "example_problems.hpp"
#include "meta_ops.hpp"
#include "min_cost_assignment.hpp"

namespace berth::baselines {
namespace {

std::vector<DeviceId> devices(std::initializer_list<std::uint32_t> numbers) {
  std::vector<DeviceId> ids;
  for (const std::uint32_t number : numbers) {
    ids.push_back(DeviceId{number});
  }
  return ids;
}

/// Two producers of work 4 and their aggregation of work 1, on two devices.
std::shared_ptr<const PlacementProblem> aggregation(double size) {
  GraphBuilder builder("aggregation");
  for (int part = 0; part < 2; ++part) {
    OpSpec op;
    op.kind = "einsummable";
    op.work = 4.0;
    builder.add_op(op);
  }
  OpSpec sum;
  sum.kind = "formation";
  sum.work = 1.0;
  builder.add_op(sum);
  builder.add_edge(OpId{0}, OpId{2}, size);
  builder.add_edge(OpId{1}, OpId{2}, size);
  return make_problem("aggregation", builder.freeze(), Topology::uniform(2), {});
}

TEST(MetaOps, AreRunsOfEqualOpsByLevel) {
  // Ops 1 and 3 depend on op 0 and are apart by id; ops 4 and 5 are alike; op 2 is a source.
  const auto problem =
      identical_problem({1, 2, 1, 2, 3, 3}, {{0, 1, 1}, {0, 3, 1}, {1, 4, 1}, {3, 5, 1}}, 2);

  const std::vector<MetaOp> groups = meta_ops(problem->graph);

  EXPECT_EQ(groups,
            (std::vector<MetaOp>{{OpId{0}}, {OpId{2}}, {OpId{1}}, {OpId{3}}, {OpId{4}, OpId{5}}}));
}

TEST(MinCostAssignment, EqualsTheBestOfAllPermutations) {
  Rng rng(3);
  for (std::size_t size = 1; size <= 5; ++size) {
    for (int round = 0; round < 40; ++round) {
      std::vector<double> cost(size * size);
      for (double& value : cost) {
        value = rng.below(6) == 0 ? std::numeric_limits<double>::infinity()
                                  : static_cast<double>(rng.below(20));
      }
      const auto total = [&](const std::vector<std::size_t>& column) {
        double sum = 0.0;
        for (std::size_t row = 0; row < size; ++row) {
          sum += cost[row * size + column[row]];
        }
        return sum;
      };
      std::vector<std::size_t> all(size);
      std::iota(all.begin(), all.end(), std::size_t{0});
      double least = std::numeric_limits<double>::infinity();
      do {
        least = std::min(least, total(all));
      } while (std::next_permutation(all.begin(), all.end()));

      const std::vector<std::size_t> found = min_cost_assignment(cost, size);

      EXPECT_EQ(found.empty() ? std::numeric_limits<double>::infinity() : total(found), least);
    }
  }
}

TEST(EnumOpt, DealsTheBlocksOverTheCheapestPermutation) {
  // 2 needs the output of 1 and 3 that of 0: devices exchanged, nothing moves.
  const auto problem = identical_problem({1, 1, 2, 2}, {{0, 3, 5}, {1, 2, 5}}, 2);

  EXPECT_EQ(place_by_permutations(*problem), devices({0, 1, 1, 0}));
}

TEST(EnumOpt, DealsMoreBlocksThanDevicesInTurn) {
  const auto problem = identical_problem({1, 1, 1, 1, 1}, {}, 2);

  EXPECT_EQ(place_by_permutations(*problem), devices({0, 1, 0, 1, 0}));
}

TEST(EnumOpt, OnEightDevicesBlocksFollowTheirInputs) {
  std::vector<double> work(16, 1.0);
  std::fill(work.begin() + 8, work.end(), 2.0);
  std::vector<ExampleEdge> edges;
  for (std::uint32_t block = 0; block < 8; ++block) {
    edges.push_back({block, 8 + (block * 3) % 8, 5});
  }
  const auto problem = identical_problem(work, edges, 8);

  const std::vector<DeviceId> placed = place_by_permutations(*problem);

  for (const auto& [from, to, size] : edges) {
    EXPECT_EQ(placed[to], placed[from]);
  }
}

TEST(EnumOpt, SpreadsProducersWhileMovesCostLessThanTheySave) {
  // Apart: device 0 has 4 + 1 + a move, device 1 has 4 + the move; together: 9.
  EXPECT_EQ(place_by_sites(*aggregation(3), SiteScope::kMetaOp, 1.0), devices({0, 1, 0}));
  EXPECT_EQ(place_by_sites(*aggregation(5), SiteScope::kMetaOp, 1.0), devices({0, 0, 0}));
  EXPECT_EQ(place_by_sites(*aggregation(5), SiteScope::kMetaOp, 0.5), devices({0, 1, 0}));
}

TEST(EnumOpt, GreedyMinimisesTheLargestDeviceCostOfTheWholeGraph) {
  // Beside its input: 4 + 1 = 5; elsewhere 4 + 1 and 1 + 1: also 5, but more in sum.
  EXPECT_EQ(place_by_sites(*identical_problem({4, 1}, {{0, 1, 1}}, 2), SiteScope::kGlobal, 1.0),
            devices({0, 0}));
  // Beside its input 7; elsewhere 5 and 4.
  EXPECT_EQ(place_by_sites(*identical_problem({4, 3}, {{0, 1, 1}}, 2), SiteScope::kGlobal, 1.0),
            devices({0, 1}));
}

TEST(EnumOpt, SweepsImproveWithinTheBudget) {
  const auto problem = identical_problem(
      {5, 4, 3, 2, 1, 6}, {{0, 2, 2}, {1, 3, 2}, {2, 4, 2}, {3, 5, 2}}, 3, Discipline::kFifo);
  for (const char* variant : {"permutations", "ranges", "greedy"}) {
    const double plain =
        makespan_of(*make_policy(make_enumopt, kEnumOptOptions, {{"variant", variant}}), *problem);
    const auto swept =
        make_policy(make_enumopt, kEnumOptOptions, {{"variant", variant}, {"sweeps", "100"}});
    Evaluator evaluator(*problem, {12, 0.0});
    Rng rng(1);

    static_cast<void>(swept->place(*problem, evaluator, rng));

    EXPECT_LE(evaluator.simulations(), 12U);
    EXPECT_LE(makespan_of(*swept, *problem), plain) << variant;
  }
}

TEST(EnumOpt, SaysWhenMemoryRunsOut) {
  const auto problem = too_big_one_by_one();

  for (const char* variant : {"permutations", "ranges", "greedy"}) {
    try {
      static_cast<void>(makespan_of(
          *make_policy(make_enumopt, kEnumOptOptions, {{"variant", variant}}), *problem));
      FAIL() << "expected a SolverError";
    } catch (const SolverError& error) {
      EXPECT_NE(std::string(error.what()).find("infeasible: of all placements none fits"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace berth::baselines
