// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <gtest/gtest.h>

#include "annealing_search.hpp"
#include "example_problems.hpp"
#include "list_decoder.hpp"

namespace berth::baselines {
namespace {

std::vector<OpId> list_of(std::initializer_list<std::uint32_t> ops) {
  std::vector<OpId> list;
  for (const std::uint32_t op : ops) {
    list.push_back(OpId{op});
  }
  return list;
}

/// Order values by position in the list.
std::vector<double> order_of(const std::vector<OpId>& list) {
  std::vector<double> order(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    order[index(list[i])] = static_cast<double>(i);
  }
  return order;
}

TEST(ListDecoder, PutsEachOpInTurnWhereItFinishesFirst) {
  // Op 0 (2) feeds 1 (4) over 3; op 2 (1) is alone. 0 ends at 2; 1 follows it on its device at
  // once, 2..6, rather than at 5 elsewhere; 2 goes to the other device, 0..1.
  const auto problem = identical_problem({2, 4, 1}, {{0, 1, 3}}, 2, Discipline::kStaticOrder);
  ListDecoder decoder(*problem);

  EXPECT_EQ(decoder.makespan(list_of({0, 1, 2}), kCannotRun), 6.0);
  EXPECT_EQ(decoder.devices(), (std::vector<DeviceId>{DeviceId{0}, DeviceId{0}, DeviceId{1}}));
}

TEST(ListDecoder, SequenceMatters) {
  // Two devices; ops of 1, 1 and 2. Long one first: 2. Last: it waits for a short one, 3.
  const auto problem = identical_problem({1, 1, 2}, {}, 2, Discipline::kStaticOrder);
  ListDecoder decoder(*problem);

  EXPECT_EQ(decoder.makespan(list_of({2, 0, 1}), kCannotRun), 2.0);
  EXPECT_EQ(decoder.makespan(list_of({0, 1, 2}), kCannotRun), 3.0);
}

TEST(ListDecoder, GivesUpAboveTheLimitAndOnlyThere) {
  const auto problem = identical_problem({1, 1, 2}, {}, 2, Discipline::kStaticOrder);
  ListDecoder decoder(*problem);

  EXPECT_EQ(decoder.makespan(list_of({0, 1, 2}), 2.5), kCannotRun);
  EXPECT_EQ(decoder.makespan(list_of({0, 1, 2}), 3.0), 3.0);
}

TEST(ListDecoder, AgreesWithTheSimulator) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);
  Simulator simulator(*problem);
  ListDecoder decoder(*problem);
  Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    // A random topological order: always a random op whose predecessors are there.
    std::vector<OpId> list;
    std::vector<bool> taken(10, false);
    while (list.size() < 10) {
      const OpId op = to_id<OpId>(rng.below(10));
      const auto before = problem->graph.predecessors(op);
      if (!taken[index(op)] &&
          std::all_of(before.begin(), before.end(), [&taken](OpId u) { return taken[index(u)]; })) {
        taken[index(op)] = true;
        list.push_back(op);
      }
    }
    const double decoded = decoder.makespan(list, kCannotRun);
    ASSERT_EQ(decoded, simulator.makespan(decoder.devices(), order_of(list)));
  }
}

TEST(ListAnnealing, PacksWhatGreedyListsMiss) {
  // Two devices; 3, 3, 2, 2, 2 independent: longest first ends at 3 + 2 + 2 = 7, but {3, 3} beside
  // {2, 2, 2} ends at 6.
  const auto problem = identical_problem({3, 3, 2, 2, 2}, {}, 2, Discipline::kStaticOrder);
  Evaluator evaluator(*problem, {.simulations = 2000});
  Rng rng(1);
  SearchLimit limit(evaluator, 0);
  ASSERT_EQ(evaluator(std::vector<DeviceId>(5, DeviceId{0}), std::vector<double>{0, 1, 2, 3, 4}),
            12.0);

  anneal_list(evaluator, {limit, 0.0, 1.0}, kListHeat, rng);

  EXPECT_EQ(evaluator.best_makespan(), 6.0);
  EXPECT_LE(evaluator.simulations(), 2000U);
}

TEST(ListAnnealing, StopsAtTheEndOfItsPhase) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);
  Evaluator evaluator(*problem, {.simulations = 1000});
  Rng rng(1);
  SearchLimit limit(evaluator, 0);

  anneal_list(evaluator, {limit, 0.0, 0.25}, kListHeat, rng);

  EXPECT_GE(evaluator.simulations(), 250U);
  EXPECT_LE(evaluator.simulations(), 260U);
}

}  // namespace
}  // namespace berth::baselines
