// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/config.hpp"
#include "berth/host_services.hpp"
#include "berth/logger.hpp"
#include "berth/rng.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::testing {

/// A chain with two tensor widths on two nodes of two devices; activations bind in some.
inline StrategyProblem small_strategy(std::uint64_t seed, std::size_t layers = 4) {
  Rng rng(seed, {7});
  StrategyProblem problem;
  problem.model = "small";
  problem.cluster = "two nodes";
  problem.network = NetworkLevels::uniform(
      std::vector<std::uint32_t>{2, 2}, {{"node", 1e9, 1e-5, 0.0, 1}, {"net", 2e8, 1e-4, 0.0, 1}});
  problem.classes = {{"device", 1e9 * (1.5 + 2.5 * rng.uniform()), 1e11, 1.0}};
  problem.memory = {2.0, 2.0, 12.0, 1e6};
  problem.global_batch = 8;
  for (std::size_t v = 0; v < layers; ++v) {
    problem.layers.push_back(std::to_string(v));
  }
  for (const std::uint32_t tensor : {1U, 2U}) {
    StrategyConfiguration c;
    c.tensor = tensor;
    c.micro_batches = 8;
    for (std::uint32_t v = 0; v < layers; ++v) {
      c.kinds.push_back(v);
      LayerCost cost;
      const double share = 1.0 / tensor;
      Rng layer(seed, {8, v});  // both widths split the same layer
      cost.forward_seconds = (0.1 + layer.uniform()) * (share + 0.05);
      cost.backward_seconds = 2.0 * cost.forward_seconds;
      cost.dense_parameters = 1e8 * layer.uniform() * share;
      cost.saved_bytes = {6e8 * share, 3e8 * share, 5e7};
      cost.recompute_seconds = {0.0, 0.3 * cost.forward_seconds, cost.forward_seconds};
      cost.work_bytes = {0.0, 1e8 * share, 3e8 * share};
      c.costs.push_back(cost);
      if (v > 0) {
        c.edges.push_back({v - 1, v, 2e7});
      }
    }
    problem.configurations.push_back(c);
  }
  check_problem(problem);
  return problem;
}

/// A planner with some of its options set.
class PlannerUnderTest {
 public:
  PlannerUnderTest(std::unique_ptr<StrategyPlanner> (*make)(const HostServices&),
                   std::span<const berth_option_spec> options,
                   const std::vector<std::pair<std::string, std::string>>& settings = {},
                   std::uint64_t seed = 1)
      : logger_(LogLevel::kError), config_(options) {
    for (const auto& [name, value] : settings) {
      config_.set(name, value);
    }
    const HostServices host{&logger_, seed, &config_};
    planner_ = make(host);
  }

  [[nodiscard]] StrategyAnswer plan(const StrategyProblem& problem, std::uint32_t top_k = 1) {
    return planner_->plan_all(problem, top_k);
  }

 private:
  StderrLogger logger_;
  Config config_;
  std::unique_ptr<StrategyPlanner> planner_;
};

}  // namespace berth::testing
