// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "ready_queue.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "candidate_set.hpp"
#include "chooser.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

std::vector<float> random_logits(std::size_t ops, double spread, Rng& rng) {
  std::vector<float> logits(ops);
  for (float& logit : logits) {
    // Few distinct values, so that there are ties.
    logit = static_cast<float>(spread * (static_cast<double>(rng.below(8)) - 4.0));
  }
  return logits;
}

/// The definition: Chooser over the list of CandidateSet.
std::vector<std::uint32_t> taken_from_list(const Graph& graph,
                                           const std::vector<float>& logits,
                                           ActMode mode,
                                           double temperature,
                                           Rng& rng) {
  CandidateSet candidates(graph);
  Chooser chooser(mode, graph.num_ops(), rng);
  std::vector<std::uint32_t> ops;
  while (ops.size() < graph.num_ops()) {
    const auto list = candidates.list();
    std::vector<float> of_list;
    for (const std::uint32_t op : list) {
      of_list.push_back(logits[op]);
    }
    const std::size_t pick = list.size() > 1 ? chooser.choose(of_list, {}, temperature) : 0;
    ops.push_back(list[pick]);
    candidates.pick(pick);
  }
  return ops;
}

std::vector<std::uint32_t> taken_from_queue(const Graph& graph,
                                            const std::vector<float>& logits,
                                            double temperature,
                                            Rng& rng) {
  ReadyQueue queue(graph, logits, temperature);
  std::vector<std::uint32_t> ops;
  while (ops.size() < graph.num_ops()) {
    ops.push_back(queue.take(rng));
  }
  return ops;
}

TEST(ReadyQueue, TakesTheFirstGreatestLogitOfTheList) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto problem = random_problem(60, 2, seed);
    Rng rng(seed);
    const std::vector<float> logits = random_logits(60, 1.0, rng);

    EXPECT_EQ(taken_from_queue(problem->graph, logits, 0.0, rng),
              taken_from_list(problem->graph, logits, ActMode::kGreedy, 1.0, rng))
        << seed;
  }
}

TEST(ReadyQueue, DrawsAsTheSoftmaxOfTheListDoes) {
  // The same random numbers give the same ops, but where a sum in float rounds across one.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto problem = random_problem(60, 2, seed);
    Rng rng(seed);
    const std::vector<float> logits = random_logits(60, 0.5, rng);
    Rng first(seed + 100);
    Rng second(seed + 100);

    EXPECT_EQ(taken_from_queue(problem->graph, logits, 0.7, first),
              taken_from_list(problem->graph, logits, ActMode::kSample, 0.7, second))
        << seed;
    EXPECT_EQ(first.uniform(), second.uniform()) << seed;
  }
}

TEST(ReadyQueue, TakesEveryOpWhereLogitsAreFurtherApartThanDoublesReach) {
  // exp(8000) is beyond doubles: weights are relative to what is left.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto problem = random_problem(60, 2, seed);
    Rng rng(seed);
    const std::vector<float> logits = random_logits(60, 1000.0, rng);

    std::vector<std::uint32_t> ops = taken_from_queue(problem->graph, logits, 1.0, rng);

    std::vector<std::size_t> place(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      place[ops[i]] = i;
    }
    for (std::size_t v = 0; v < ops.size(); ++v) {
      for (const OpId before : problem->graph.predecessors(to_id<OpId>(v))) {
        EXPECT_LT(place[index(before)], place[v]);
      }
    }
    std::sort(ops.begin(), ops.end());
    for (std::uint32_t v = 0; v < ops.size(); ++v) {
      EXPECT_EQ(ops[v], v);
    }
  }
}

TEST(WeightTree, FindsPositionsInProportion) {
  WeightTree tree(3);
  tree.set(0, 1.0);
  tree.set(2, 3.0);

  EXPECT_EQ(tree.total(), 4.0);
  EXPECT_EQ(tree.find(0.0), 0U);
  EXPECT_EQ(tree.find(0.2499), 0U);
  EXPECT_EQ(tree.find(0.25), 2U);
  EXPECT_EQ(tree.find(0.9999), 2U);
  tree.set(2, 0.0);
  EXPECT_EQ(tree.find(0.9999), 0U);
}

}  // namespace
}  // namespace berth::doppler
