// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plugins/nest/artifact_mode.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "berth/artifact_score.hpp"
#include "berth/error.hpp"
#include "berth/rng.hpp"

namespace berth {
namespace {

using nest::ArtifactOptions;

StrategyProblem chain(const std::vector<LayerCost>& layers,
                      double edge_bytes,
                      NetworkLevels network,
                      double memory_bytes,
                      std::uint32_t batch) {
  StrategyProblem problem;
  problem.model = "chain";
  problem.cluster = "cluster";
  StrategyConfiguration configuration;
  configuration.micro_batches = batch;
  for (std::uint32_t v = 0; v < layers.size(); ++v) {
    problem.layers.push_back(std::to_string(v));
    configuration.kinds.push_back(v);
    configuration.costs.push_back(layers[v]);
    if (v > 0) {
      configuration.edges.push_back({v - 1, v, edge_bytes});
    }
  }
  problem.configurations = {configuration};
  problem.network = std::move(network);
  problem.classes = {{"device", memory_bytes, 0.0, 0.0}};
  problem.recompute_allowed = false;
  problem.memory = {2.0, 2.0, 0.0, 0.0};
  return problem;
}

LayerCost layer(double forward, double backward, double parameters = 0, double activation = 0) {
  LayerCost cost;
  cost.forward_seconds = forward;
  cost.backward_seconds = backward;
  cost.dense_parameters = parameters;
  cost.saved_bytes[0] = activation;
  return cost;
}

NetworkLevels flat(std::uint32_t devices, double bandwidth = 1e9) {
  const std::uint32_t units[] = {devices};
  return NetworkLevels::uniform(units, {{"link", bandwidth, 0.0, 0.0, 1}});
}

ArtifactOptions exact(ArtifactOptions::Fill fill) {
  ArtifactOptions options;
  options.update = ArtifactOptions::Update::kExact;
  options.fill = fill;
  return options;
}

TEST(NestArtifactMode, OneDeviceTakesTheSequentialTime) {
  // Layers of 1+2 and 3+4 s, 5 micro-batches, no transfer: 5 * 10 s.
  const StrategyProblem problem = chain({layer(1, 2), layer(3, 4)}, 8.0, flat(1), 1e9, 5);

  const StrategyAnswer answer =
      nest::plan_as_artifact(problem, exact(ArtifactOptions::Fill::kMax), 1);

  ASSERT_EQ(answer.plans.size(), 1U);
  EXPECT_DOUBLE_EQ(answer.plans[0].seconds_per_batch, 50.0);
  EXPECT_EQ(answer.plans[0].stages.size(), 1U);
}

TEST(NestArtifactMode, TwoEqualLayersOnTwoDevicesByHand) {
  // Data parallel: 3 micro-batches each of 2 * 3 s = 18 s, all-reduce of 4e9 bytes at 1e9 bytes/s
  // over one doubling = 4 s: 22 s. Pipeline: stages of 3 s + transfer of 0.5e9 bytes at 1e9 bytes/s
  // each way, 3.5 s; (6 + 2 - 1) * 3.5 = 24.5 s.
  const StrategyProblem problem =
      chain({layer(1, 2, 1e9), layer(1, 2, 1e9)}, 0.5e9, flat(2), 1e12, 6);

  const StrategyAnswer answer =
      nest::plan_as_artifact(problem, exact(ArtifactOptions::Fill::kMax), 1);

  ASSERT_EQ(answer.plans.size(), 1U);
  EXPECT_EQ(answer.plans[0].data, 2U);
  EXPECT_DOUBLE_EQ(answer.plans[0].seconds_per_batch, 22.0);
}

TEST(NestArtifactMode, SaysWhichLayerDoesNotFit) {
  const StrategyProblem problem = chain({layer(1, 2, 1e9), layer(1, 2, 3e9)}, 1.0, flat(2), 8e9, 2);

  const StrategyAnswer answer =
      nest::plan_as_artifact(problem, exact(ArtifactOptions::Fill::kMax), 1);

  EXPECT_TRUE(answer.plans.empty());
  ASSERT_EQ(answer.infeasible.size(), 1U);
  EXPECT_NE(answer.infeasible[0].find("layer 1 alone needs"), std::string::npos);
}

TEST(NestArtifactMode, TheArtifactsRuleTakesThreeLevelsOnly) {
  const StrategyProblem problem = chain({layer(1, 2)}, 1.0, flat(2), 8e9, 2);

  EXPECT_THROW(static_cast<void>(nest::plan_as_artifact(problem, ArtifactOptions{}, 1)),
               InputError);
}

// Least time over every cut and degree, each scored by the evaluator from its device lists.
double brute_force(const StrategyProblem& problem, const ArtifactRules& rules) {
  const std::size_t n = problem.layers.size();
  const std::size_t devices = problem.network.num_devices();
  double best = INFINITY;
  for (std::uint32_t cuts = 0; cuts < (1U << (n - 1)); ++cuts) {
    const std::size_t stages = static_cast<std::size_t>(std::popcount(cuts)) + 1;
    for (std::size_t d = 1; d * stages <= devices; ++d) {
      ParallelPlan plan;
      plan.data = static_cast<std::uint32_t>(d);
      std::uint32_t first = 0;
      for (std::uint32_t v = 1; v <= n; ++v) {
        if (v == n || ((cuts >> (v - 1)) & 1U) != 0) {
          PlanStage stage;
          stage.first_layer = first;
          stage.num_layers = v - first;
          for (std::size_t r = 0; r < d; ++r) {
            stage.blocks.push_back(
                consecutive_block(r * stages + stages - 1 - plan.stages.size(), 1));
          }
          plan.stages.push_back(stage);
          first = v;
        }
      }
      if (d > problem.configurations[0].micro_batches) {
        continue;
      }
      const ArtifactScore score = score_artifact_plan(problem, plan, rules);
      if (score.fits) {
        best = std::min(best, score.seconds_per_batch);
      }
    }
  }
  return best;
}

NetworkLevels random_network(Rng& rng, std::size_t devices) {
  std::vector<NetworkLevel> levels;
  std::vector<std::uint32_t> units;
  for (std::size_t rest = devices; rest > 1 || units.empty();) {
    std::uint32_t size = static_cast<std::uint32_t>(1 + rng.below(rest));
    while (rest % size != 0) {
      --size;
    }
    rest /= size;
    units.push_back(size);
    levels.push_back({"level", 1e9 * (0.2 + rng.uniform()), 0.1 * rng.uniform(), 0.0, 1});
  }
  return NetworkLevels::uniform(units, levels);
}

TEST(NestArtifactMode, ExactEqualsBruteForceOnRandomChains) {
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Rng rng(seed, {1});
    const std::size_t devices = std::vector<std::size_t>{1, 3, 6, 7, 12, 16}[rng.below(6)];
    std::vector<LayerCost> layers;
    for (std::size_t v = 0, n = 1 + rng.below(7); v < n; ++v) {
      layers.push_back(
          layer(rng.uniform(), 2 * rng.uniform(), 1e9 * rng.uniform(), 1e9 * rng.uniform()));
    }
    StrategyProblem problem = chain(layers,
                                    3e8 * rng.uniform(),
                                    random_network(rng, devices),
                                    1e9 * (2.0 + 12.0 * rng.uniform()),
                                    static_cast<std::uint32_t>(1 + rng.below(20)));
    problem.recompute_allowed = rng.below(2) == 1;
    const bool sum = rng.below(2) == 1;

    const StrategyAnswer answer = nest::plan_as_artifact(
        problem, exact(sum ? ArtifactOptions::Fill::kSum : ArtifactOptions::Fill::kMax), 1);

    const double expected = brute_force(problem, {true, sum});
    ASSERT_EQ(answer.plans.empty(), std::isinf(expected)) << "seed " << seed;
    infeasible += answer.plans.empty() ? 1 : 0;
    if (!answer.plans.empty()) {
      ASSERT_NEAR(answer.plans[0].seconds_per_batch, expected, 1e-9 * expected) << "seed " << seed;
    }
  }
  EXPECT_GT(infeasible, 20);
  EXPECT_LT(infeasible, 500);
}

}  // namespace
}  // namespace berth
