// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "berth/rng.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::testing {

inline LayerCost random_layer(Rng& rng, bool experts) {
  LayerCost cost;
  cost.forward_seconds = 0.1 + rng.uniform();
  cost.backward_seconds = 0.2 + 2.0 * rng.uniform();
  cost.dense_parameters = 1e8 * rng.uniform();
  cost.expert_parameters = experts ? 1e8 * rng.uniform() : 0.0;
  cost.saved_bytes = {4e8 * rng.uniform() + 2e8, 1.5e8, 2e7};
  cost.recompute_seconds = {0.0, 0.2 * cost.forward_seconds, cost.forward_seconds};
  cost.work_bytes = {0.0, 1e8 * rng.uniform(), 3e8 * rng.uniform()};
  return cost;
}

/// Groups of unequal size on the lowest level, a shared uplink above.
inline NetworkLevels random_network(Rng& rng, std::size_t devices) {
  std::vector<std::uint32_t> node;
  for (std::uint32_t unit = 0; node.size() < devices; ++unit) {
    for (std::size_t k = 1 + rng.below(4); k > 0 && node.size() < devices; --k) {
      node.push_back(unit);
    }
  }
  const double fast = 1e9 * (1.0 + rng.uniform());
  return NetworkLevels({{"node", fast, 0.01 * rng.uniform(), 0.0, 1},
                        {"net", 0.5 * fast * rng.uniform(), 0.05 * rng.uniform(), 0.4 * fast, 1}},
                       {node, std::vector<std::uint32_t>(devices, 0)});
}

/// Three configurations (plain, tensor 2, expert 2) on one or two classes of devices in random
/// places, memory that often binds.
inline StrategyProblem random_problem(std::uint64_t seed, std::size_t layers, std::size_t devices) {
  Rng rng(seed, {2});
  StrategyProblem problem;
  problem.model = "random";
  problem.cluster = "cluster";
  problem.network = random_network(rng, devices);
  const std::size_t classes = 1 + rng.below(2);
  for (std::size_t c = 0; c < classes; ++c) {
    problem.classes.push_back({"class", 1e9 * (2.0 + 10.0 * rng.uniform()), 1e11, 1.0});
  }
  for (std::size_t d = 0; d < devices; ++d) {
    problem.class_of_device.push_back(static_cast<std::uint32_t>(rng.below(classes)));
  }
  problem.memory = {2.0, 4.0, 12.0, 1e7};
  const std::uint32_t degrees[3][3] = {{1, 1, 1}, {2, 1, 1}, {1, 1, 2}};
  for (std::size_t v = 0; v < layers; ++v) {
    problem.layers.push_back(std::to_string(v));
  }
  for (const auto& degree : degrees) {
    StrategyConfiguration c;
    c.tensor = degree[0];
    c.context = degree[1];
    c.expert = degree[2];
    c.micro_batches = static_cast<std::uint32_t>(1 + rng.below(9));
    c.tied_parameters = layers > 1 ? 1e7 : 0.0;
    for (std::uint32_t v = 0; v < layers; ++v) {
      c.kinds.push_back(v);
      if (v > 0) {
        c.edges.push_back({v - 1, v, 1e8 * rng.uniform()});
      }
    }
    for (std::size_t k = 0; k < classes * layers; ++k) {
      LayerCost cost = random_layer(rng, degree[2] > 1);
      if (k >= layers) {  // another class computes at another speed what is as large
        const double speed = 0.5 + rng.uniform();
        cost = c.costs[k - layers];
        cost.forward_seconds *= speed;
        cost.backward_seconds *= speed;
        cost.recompute_seconds = {0.0, 0.2 * cost.forward_seconds, cost.forward_seconds};
      }
      cost.dense_parameters += k % layers + 1 == layers ? c.tied_parameters : 0.0;
      c.costs.push_back(cost);
    }
    problem.configurations.push_back(c);
  }
  check_problem(problem);
  return problem;
}

/// The devices class by class in every order of the classes, and by number; written apart from the
/// planner's.
inline std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> all_orders(
    const StrategyProblem& problem) {
  std::vector<std::uint32_t> by_number(problem.network.num_devices());
  std::iota(by_number.begin(), by_number.end(), 0U);
  std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> orders = {
      {{}, by_number}};
  std::vector<std::uint32_t> classes(problem.classes.size());
  std::iota(classes.begin(), classes.end(), 0U);
  do {
    std::vector<std::uint32_t> devices;
    for (const std::uint32_t c : classes) {
      for (const std::uint32_t d : by_number) {
        if (problem.class_of(d) == c) {
          devices.push_back(d);
        }
      }
    }
    orders.emplace_back(classes, devices);
  } while (std::next_permutation(classes.begin(), classes.end()));
  return orders;
}

}  // namespace berth::testing
