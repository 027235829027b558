// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "plugins/planners/contiguous_partitioner.hpp"
#include "plugins/planners/item_graph.hpp"
#include "plugins/planners/partition_annealing.hpp"

namespace berth {
namespace {

PartitionNode node(double seconds, double bytes = 0.0) {
  PartitionNode node;
  node.name = "n";
  node.host_seconds = INFINITY;
  node.variants = {{{"only", seconds, 0.0, 0.0, bytes, {}}}};
  return node;
}

// A chain a -> b -> ... with one transfer of `transfer` seconds between neighbours.
PartitionProblem chain(const std::vector<double>& seconds, double transfer) {
  PartitionProblem problem;
  problem.model = "chain";
  problem.memory_bytes = 100.0;
  for (std::uint32_t v = 0; v < seconds.size(); ++v) {
    problem.nodes.push_back(node(seconds[v], 1.0));
    problem.nodes.back().group = v;
    if (v > 0) {
      problem.transfers.push_back({v - 1, {v}, transfer});
    }
  }
  return problem;
}

// Every way to put nodes on stages in order, every width, degree and choice, scored one by one.
double least_by_enumeration(const PartitionProblem& problem, bool contiguous) {
  double least = INFINITY;
  const std::size_t most_stages =
      std::min<std::size_t>(problem.nodes.size(), problem.accelerators + problem.hosts);
  std::vector<std::size_t> stage_of(problem.nodes.size(), 0);
  PartitionPlan plan;
  const std::function<void(std::size_t)> choose = [&](std::size_t k) {
    // One flat index over (stage, node) pairs: variants of accelerator stages.
    std::size_t seen = 0;
    for (PartitionStage& stage : plan.stages) {
      if (stage.on_host) {
        continue;
      }
      for (std::size_t i = 0; i < stage.nodes.size(); ++i, ++seen) {
        if (seen == k) {
          const auto& variants = problem.nodes[stage.nodes[i]].variants[stage.width];
          for (std::uint32_t c = 0; c < variants.size(); ++c) {
            stage.choices[i] = c;
            choose(k + 1);
          }
          return;
        }
      }
    }
    const PartitionScore score = score_partition(problem, plan);
    if (score.fits && (score.contiguous || !contiguous)) {
      least = std::min(least, score.slowest_seconds);
    }
  };
  const std::function<void(std::size_t)> equip = [&](std::size_t q) {
    if (q == plan.stages.size()) {
      choose(0);
      return;
    }
    PartitionStage& stage = plan.stages[q];
    for (std::uint32_t w = 0; problem.accelerators > 0 && w < problem.widths.size(); ++w) {
      for (std::uint32_t d = 1; d <= (problem.data_parallel ? problem.micro_batches : 1); ++d) {
        if (problem.micro_batches % d == 0 && d * problem.widths[w] <= problem.accelerators) {
          stage.width = w;
          stage.data = d;
          stage.on_host = false;
          stage.choices.assign(stage.nodes.size(), 0);
          equip(q + 1);
        }
      }
    }
    const bool host = std::all_of(stage.nodes.begin(), stage.nodes.end(), [&](std::uint32_t v) {
      return std::isfinite(problem.nodes[v].host_seconds);
    });
    if (problem.hosts > 0 && host) {
      stage = {stage.nodes, {}, true, 0, 1, 0.0, 0.0};
      equip(q + 1);
    }
  };
  const std::function<void(std::size_t)> assign = [&](std::size_t v) {
    if (v < stage_of.size()) {
      for (std::size_t q = 0; q < most_stages; ++q) {
        stage_of[v] = q;
        assign(v + 1);
      }
      return;
    }
    plan.stages.assign(most_stages, {});
    for (std::uint32_t u = 0; u < stage_of.size(); ++u) {
      plan.stages[stage_of[u]].nodes.push_back(u);
    }
    std::erase_if(plan.stages, [](const PartitionStage& stage) { return stage.nodes.empty(); });
    for (const PartitionStage& stage : plan.stages) {
      for (const std::uint32_t u : stage.nodes) {
        for (std::uint32_t w = 0; w < problem.nodes.size(); ++w) {
          const bool together = problem.nodes[w].group == problem.nodes[u].group;
          if (together && stage_of[w] != stage_of[u]) {
            return;
          }
        }
      }
    }
    equip(0);
  };
  assign(0);
  return least;
}

PartitionProblem random_load_problem(Rng& rng) {
  PartitionProblem problem;
  problem.model = "random";
  problem.accelerators = 1 + static_cast<std::uint32_t>(rng.below(2));
  problem.hosts = static_cast<std::uint32_t>(rng.below(2));
  const std::size_t nodes = 3 + rng.below(3);
  // Roomy in half of the cases, so that items without time are merged there.
  problem.memory_bytes = rng.below(2) == 0 ? 100.0 : 8.0;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    PartitionNode fresh =
        node(static_cast<double>(rng.below(3) * rng.below(5)), static_cast<double>(rng.below(6)));
    fresh.name = std::to_string(v);
    fresh.host_seconds = 2.0 * fresh.variants[0][0].seconds;
    fresh.group = v > 1 && rng.below(4) == 0 ? problem.nodes[v - 1].group : v;
    fresh.backward = fresh.group != v;
    PartitionTransfer transfer{v, {}, static_cast<double>(rng.below(4))};
    problem.nodes.push_back(std::move(fresh));
    for (std::uint32_t to = v + 1; to < nodes; ++to) {
      if (rng.below(2) == 0) {
        transfer.to.push_back(to);
      }
    }
    if (!transfer.to.empty()) {
      problem.transfers.push_back(std::move(transfer));
    }
  }
  return problem;
}

PartitionProblem random_piper_problem(Rng& rng) {
  PartitionProblem problem;
  problem.model = "random";
  problem.widths = {1, 2};
  problem.accelerators = 2 + static_cast<std::uint32_t>(rng.below(3));
  problem.micro_batches = 6;
  problem.data_parallel = true;
  problem.gradient_seconds_per_byte = 0.1;
  problem.memory_bytes = 3.0 + static_cast<double>(rng.below(12));
  const std::uint32_t nodes = 3;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    for (std::uint32_t to = v + 1; to < nodes; ++to) {
      if (to == v + 1 || rng.below(2) == 0) {
        problem.transfers.push_back({v, {to}, static_cast<double>(rng.below(3))});
      }
    }
  }
  for (std::uint32_t v = 0; v < nodes; ++v) {
    PartitionNode fresh;
    fresh.name = std::to_string(v);
    fresh.group = v;
    fresh.host_seconds = INFINITY;
    for (int w = 0; w < 2; ++w) {
      fresh.variants.emplace_back();
      const std::size_t choices = w == 0 ? 2 : 1 + rng.below(2);
      for (std::size_t c = 0; c < choices; ++c) {
        PartitionVariant variant{"v",
                                 static_cast<double>(1 + rng.below(9)),
                                 static_cast<double>(rng.below(5)),
                                 static_cast<double>(rng.below(4)),
                                 static_cast<double>(rng.below(6)),
                                 {}};
        for (std::uint32_t t = 0; t < problem.transfers.size(); ++t) {
          if (problem.transfers[t].from == v || problem.transfers[t].to[0] == v) {
            variant.at_border.emplace_back(t, static_cast<double>(rng.below(3)));
          }
        }
        fresh.variants.back().push_back(std::move(variant));
      }
    }
    problem.nodes.push_back(std::move(fresh));
  }
  return problem;
}

void expect_optimum(const PartitionProblem& problem, int& feasible, int& infeasible) {
  const double least = least_by_enumeration(problem, /*contiguous=*/true);
  const PartitionAnswer answer = planners::partition_contiguous(problem);
  if (std::isinf(least)) {
    ++infeasible;
    EXPECT_TRUE(answer.plans.empty());
    EXPECT_FALSE(answer.infeasible.empty());
    return;
  }
  ++feasible;
  ASSERT_EQ(answer.plans.size(), 1U);
  const PartitionScore score = score_partition(problem, answer.plans[0]);
  EXPECT_TRUE(score.fits);
  EXPECT_TRUE(score.contiguous);
  EXPECT_NEAR(score.slowest_seconds, least, 1e-9);
}

TEST(ContiguousPartitioner, EqualsEnumerationOnGraphsWithHostsGroupsAndMemory) {
  Rng rng(11);
  int feasible = 0;
  int infeasible = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    expect_optimum(random_load_problem(rng), feasible, infeasible);
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 2);
}

TEST(ContiguousPartitioner, EqualsEnumerationWithReplicasWidthsAndRecomputation) {
  Rng rng(12);
  int feasible = 0;
  int infeasible = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    expect_optimum(random_piper_problem(rng), feasible, infeasible);
  }
  EXPECT_GT(feasible, 30);
  EXPECT_GT(infeasible, 2);
}

TEST(ContiguousPartitioner, CutsAChainWhereTheTransfersAreWorthIt) {
  PartitionProblem problem = chain({4.0, 4.0, 2.0}, 1.0);
  problem.accelerators = 2;

  const PartitionAnswer answer = planners::partition_contiguous(problem);

  // {4} and {4, 2}: 4 + 1 and 6 + 1; {4, 4} and {2} would be 9 and 3.
  ASSERT_EQ(answer.plans.size(), 1U);
  EXPECT_DOUBLE_EQ(answer.plans[0].slowest_seconds, 7.0);
  EXPECT_EQ(answer.plans[0].stages[0].nodes, (std::vector<std::uint32_t>{0}));
}

TEST(ContiguousPartitioner, SaysHowMuchMemoryOrHowManyDevicesWouldDo) {
  PartitionProblem problem = chain({1.0, 1.0, 1.0}, 0.0);
  problem.accelerators = 1;
  problem.memory_bytes = 2.0;  // three nodes of one byte

  const PartitionAnswer answer = planners::partition_contiguous(problem);

  EXPECT_TRUE(answer.plans.empty());
  ASSERT_EQ(answer.infeasible.size(), 2U);
  EXPECT_NE(answer.infeasible[0].find("memory: the fullest device"), std::string::npos);
  EXPECT_NE(answer.infeasible[1].find("it takes 2 accelerators"), std::string::npos);
}

TEST(ItemGraph, MergesWhatCostsNoTimeOnlyWhereMemoryCannotBind) {
  PartitionProblem problem = chain({4.0, 0.0, 2.0}, 1.0);
  problem.memory_bytes = 3.0;
  EXPECT_EQ(planners::make_items(problem).nodes.size(), 2U);

  problem.memory_bytes = 2.0;
  EXPECT_EQ(planners::make_items(problem).nodes.size(), 3U);
}

TEST(PartitionAnnealing, LiesBetweenAllPlansAndTheContiguousOnes) {
  Rng rng(13);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const PartitionProblem problem = random_load_problem(rng);
    const PartitionAnswer contiguous = planners::partition_contiguous(problem);
    const PartitionAnswer answer = planners::anneal_partition(problem, {2000, 2, 1});
    if (contiguous.plans.empty()) {
      continue;
    }
    ASSERT_EQ(answer.plans.size(), 1U);
    const PartitionScore score = score_partition(problem, answer.plans[0]);
    EXPECT_TRUE(score.fits);
    EXPECT_LE(score.slowest_seconds, contiguous.plans[0].slowest_seconds + 1e-9);
    EXPECT_GE(score.slowest_seconds, least_by_enumeration(problem, /*contiguous=*/false) - 1e-9);
  }
}

TEST(PartitionAnnealing, FindsStagesThatNoContiguousPlanHas) {
  PartitionProblem problem = chain({1.0, 4.0, 3.0}, 0.0);
  problem.accelerators = 2;

  // In order {1, 4} and {3}: 5. Freely {1, 3} and {4}: 4.
  EXPECT_DOUBLE_EQ(planners::partition_contiguous(problem).plans.at(0).slowest_seconds, 5.0);
  EXPECT_DOUBLE_EQ(planners::anneal_partition(problem, {1000, 1, 1}).plans.at(0).slowest_seconds,
                   4.0);
}

TEST(PartitionAnnealing, RefusesReplicas) {
  PartitionProblem problem = chain({1.0}, 0.0);
  problem.data_parallel = true;
  EXPECT_THROW(static_cast<void>(planners::anneal_partition(problem, {})), InputError);
}

TEST(PartitionProblem, ACircleOfForwardTransfersIsNamed) {
  PartitionProblem problem = chain({1.0, 1.0}, 0.0);
  problem.nodes[1].name = "second";
  problem.transfers.push_back({1, {0}, 0.0});
  try {
    check_partition_problem(problem);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("is on or behind a circle"), std::string::npos);
  }
}

}  // namespace
}  // namespace berth
