// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/strategy_problem.hpp"

#include <cmath>

#include "berth/error.hpp"

#include "../base/hash.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

std::string place(const StrategyProblem& problem, std::size_t configuration) {
  return problem.model + ": configuration " + std::to_string(configuration);
}

void check_number(double value, const std::string& what) {
  if (!(value >= 0.0) || !std::isfinite(value)) {
    throw InputError(what + " is " + std::to_string(value) +
                     "; expected a finite number, zero or more");
  }
}

void check_cost(const LayerCost& cost, const std::string& where) {
  check_number(cost.forward_seconds, where + ": forward time");
  check_number(cost.backward_seconds, where + ": backward time");
  check_number(cost.dense_parameters, where + ": parameter count");
  check_number(cost.expert_parameters, where + ": expert parameter count");
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    check_number(cost.recompute_seconds[r], where + ": recompute time");
    check_number(cost.saved_bytes[r], where + ": saved activation size");
    check_number(cost.work_bytes[r], where + ": working memory");
  }
}

void check_edges(const StrategyProblem& problem,
                 const StrategyConfiguration& configuration,
                 const std::string& where) {
  const std::size_t layers = problem.layers.size();
  std::vector<bool> follows(layers, false);
  for (const LayerEdge& edge : configuration.edges) {
    if (edge.from >= edge.to || edge.to >= layers) {
      throw InputError(where + ": edge " + std::to_string(edge.from) + " -> " +
                       std::to_string(edge.to) + "; expected one that goes forward within " +
                       std::to_string(layers) + " layers");
    }
    check_number(edge.size_bytes, where + ": edge size");
    follows[edge.to] = follows[edge.to] || edge.from + 1 == edge.to;
  }
  for (std::size_t v = 1; v < layers; ++v) {
    if (!follows[v]) {
      throw InputError(where + ": layer " + problem.layers[v] + " does not follow " +
                       problem.layers[v - 1] +
                       "; expected a chain (edges that skip layers are allowed, branches are not)");
    }
  }
}

}  // namespace

void check_problem(const StrategyProblem& problem) {
  if (problem.layers.empty() || problem.configurations.empty() || problem.classes.empty()) {
    throw InputError(problem.model +
                     ": no layer, no configuration or no device class; expected at "
                     "least one of each");
  }
  if (problem.network.num_devices() == 0) {
    throw InputError(problem.cluster + ": no device; expected at least one");
  }
  if (!problem.class_of_device.empty() &&
      problem.class_of_device.size() != problem.network.num_devices()) {
    throw InputError(problem.cluster + ": classes for " +
                     std::to_string(problem.class_of_device.size()) + " devices; expected " +
                     std::to_string(problem.network.num_devices()));
  }
  for (const std::uint32_t device_class : problem.class_of_device) {
    if (device_class >= problem.classes.size()) {
      throw InputError(problem.cluster + ": device class " + std::to_string(device_class) +
                       "; expected less than " + std::to_string(problem.classes.size()));
    }
  }
  for (std::size_t c = 0; c < problem.configurations.size(); ++c) {
    const StrategyConfiguration& configuration = problem.configurations[c];
    const std::string where = place(problem, c);
    const std::size_t kinds = configuration.num_kinds(problem.classes.size());
    if (configuration.kinds.size() != problem.layers.size() ||
        configuration.costs.size() != kinds * problem.classes.size()) {
      throw InputError(where +
                       ": costs do not match the layers; expected one kind per layer and "
                       "one cost per kind and class");
    }
    for (const std::uint32_t kind : configuration.kinds) {
      if (kind >= kinds) {
        throw InputError(where + ": layer kind " + std::to_string(kind) + "; expected less than " +
                         std::to_string(kinds));
      }
    }
    if (configuration.block() == 0 || configuration.micro_batches == 0) {
      throw InputError(where +
                       ": a degree or the number of micro-batches is 0; expected 1 or more");
    }
    for (const LayerCost& cost : configuration.costs) {
      check_cost(cost, where);
    }
    check_edges(problem, configuration, where);
  }
}

std::uint64_t model_hash(const StrategyProblem& problem) {
  internal::Hasher hasher;
  hasher.text(problem.model);
  hasher.word(problem.layers.size());
  hasher.word(problem.global_batch);
  hasher.number(problem.memory.weight_bytes);
  hasher.number(problem.memory.gradient_bytes);
  hasher.number(problem.memory.optimizer_bytes);
  hasher.number(problem.memory.reserve_bytes);
  for (const StrategyConfiguration& configuration : problem.configurations) {
    for (const std::size_t word : {std::size_t{configuration.tensor},
                                   std::size_t{configuration.context},
                                   std::size_t{configuration.expert},
                                   std::size_t{configuration.sequence_parallel ? 1U : 0U},
                                   std::size_t{configuration.micro_batch},
                                   std::size_t{configuration.micro_batches}}) {
      hasher.word(word);
    }
    for (const std::uint32_t kind : configuration.kinds) {
      const LayerCost& cost = configuration.costs[kind];
      hasher.number(cost.dense_parameters);
      hasher.number(cost.expert_parameters);
      for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
        hasher.number(cost.saved_bytes[r]);
        hasher.number(cost.work_bytes[r]);
      }
    }
    for (const LayerEdge& edge : configuration.edges) {
      hasher.word(edge.from);
      hasher.word(edge.to);
      hasher.number(edge.size_bytes);
    }
  }
  return hasher.value();
}

std::uint64_t cluster_hash(const StrategyProblem& problem) {
  internal::Hasher hasher;
  hasher.word(problem.network.hash());
  for (const DeviceClass& device_class : problem.classes) {
    hasher.text(device_class.name);
    hasher.number(device_class.memory_bytes);
    hasher.number(device_class.memory_bytes_per_second);
  }
  for (const std::uint32_t device_class : problem.class_of_device) {
    hasher.word(device_class);
  }
  return hasher.value();
}

}  // namespace abi_v1
}  // namespace berth
