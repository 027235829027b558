// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact_chain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace berth::planners {

double ArtifactChain::seconds(std::size_t begin,
                              std::size_t end,
                              std::size_t level_in,
                              std::size_t level_out,
                              bool recompute) const {
  const auto cost = [this](std::size_t v) -> const LayerCost& {
    return problem_.cost(configuration_, 0, v);
  };
  // What arrives from outside may delay a layer; within the stage layers follow each other.
  std::vector<double> in(end - begin, 0.0);
  std::vector<double> back(end - begin, 0.0);
  for (const LayerEdge& edge : configuration_.edges) {
    if (edge.from < begin && edge.to >= begin && edge.to < end) {
      in[edge.to - begin] = std::max(in[edge.to - begin], travel(edge.size_bytes, level_in));
    }
    if (edge.to >= end && edge.from >= begin && edge.from < end) {
      back[edge.from - begin] =
          std::max(back[edge.from - begin], travel(edge.size_bytes, level_out));
    }
  }
  double forward = 0.0;
  double backward = 0.0;
  for (std::size_t v = begin; v < end; ++v) {
    forward = std::max(forward, in[v - begin]) + cost(v).forward_seconds;
    if (recompute) {
      backward += at_backward_cost_ ? cost(v).backward_seconds : cost(v).forward_seconds;
    }
  }
  for (std::size_t v = end; v > begin; --v) {
    backward = std::max(backward, back[v - 1 - begin]) + cost(v - 1).backward_seconds;
  }
  return forward + backward;
}

double ArtifactChain::bytes(std::size_t begin, std::size_t end, std::size_t in_flight) const {
  const MemoryRules& rules = problem_.memory;
  double parameters = 0.0;
  double activations = 0.0;
  double entering = 0.0;
  for (std::size_t v = begin; v < end; ++v) {
    parameters += problem_.cost(configuration_, 0, v).dense_parameters;
    activations += problem_.cost(configuration_, 0, v).saved_bytes[0];
  }
  for (const LayerEdge& edge : configuration_.edges) {
    entering += edge.from < begin && edge.to >= begin && edge.to < end ? edge.size_bytes : 0.0;
  }
  return parameters * (rules.weight_bytes + rules.gradient_bytes + rules.optimizer_bytes) +
         activations +
         static_cast<double>(in_flight - 1) * (problem_.recompute_allowed ? entering : activations);
}

double ArtifactChain::weight_bytes(std::size_t begin, std::size_t end) const {
  double parameters = 0.0;
  for (std::size_t v = begin; v < end; ++v) {
    parameters += problem_.cost(configuration_, 0, v).dense_parameters;
  }
  return parameters * problem_.memory.weight_bytes;
}

std::size_t ArtifactChain::level(std::size_t a, std::size_t b) const {
  return problem_.network.level_between(a * configuration_.block(), b * configuration_.block());
}

double ArtifactChain::reduce_seconds(std::size_t data, std::size_t stages, double size) const {
  const NetworkLevels& network = problem_.network;
  std::size_t top = 0;
  for (std::size_t r = 1; r < data; ++r) {
    top = std::max(top, network.level_between(0, r * stages * configuration_.block()));
  }
  double total = 0.0;
  double part = size;
  for (std::size_t ranks = data; ranks > 1; ranks /= 2, part *= 0.5) {
    total += network.level(0).latency_seconds + part / network.level(0).bandwidth_bytes_per_second;
  }
  double below = 0.0;
  for (std::size_t l = 1; l <= top; ++l) {
    const NetworkLevel& here = network.level(l);
    total += 2.0 * (here.latency_seconds + size / here.bandwidth_bytes_per_second) + below;
    below += total;
  }
  return total;
}

double ArtifactChain::travel(double size, std::size_t level) const {
  const NetworkLevels& network = problem_.network;
  double narrowest = INFINITY;
  for (std::size_t l = 0; l <= level; ++l) {
    narrowest = std::min(narrowest, network.level(l).bandwidth_bytes_per_second);
  }
  const double once = size / narrowest + network.level(level).latency_seconds;
  return level == 0 ? once : 2.0 * once;
}

double reversed_seconds(const StrategyProblem& problem,
                        const ArtifactChain& chain,
                        const std::vector<std::size_t>& cuts,
                        std::size_t data,
                        std::size_t micro_batches) {
  const std::size_t stages = cuts.size() - 1;
  double slowest = 0.0;
  for (std::size_t q = 0; q < stages; ++q) {
    // Position q + 1 instead of stages - q; links are those of the true order.
    const std::size_t position = q + 1;
    if (chain.bytes(cuts[q], cuts[q + 1], position) > problem.classes.front().memory_bytes) {
      return INFINITY;
    }
    const std::size_t block = stages - 1 - q;
    const std::size_t in = q > 0 ? chain.level(block, block + 1) : 0;
    const std::size_t out = q + 1 < stages ? chain.level(block, block - 1) : 0;
    const bool again = problem.recompute_allowed && position > 1;
    slowest = std::max(slowest, chain.seconds(cuts[q], cuts[q + 1], in, out, again));
  }
  const std::size_t waves = (micro_batches + data - 1) / data;
  return slowest * static_cast<double>(waves + stages - 1) +
         chain.reduce_seconds(data, stages, chain.weight_bytes(cuts[stages - 1], cuts[stages]));
}

std::vector<std::size_t> best_cuts(const StrategyProblem& problem,
                                   const ArtifactChain& chain,
                                   std::size_t stages,
                                   std::size_t data,
                                   std::size_t micro_batches) {
  const std::size_t n = problem.layers.size();
  const double memory = problem.classes.front().memory_bytes;
  const double waves = static_cast<double>((micro_batches + data - 1) / data + stages - 1);
  using Key = std::tuple<std::size_t, std::size_t, bool>;
  std::map<Key, std::vector<double>> loads;  // by levels and recomputation: [begin][end]
  std::vector<std::vector<double>> slowest(stages + 1, std::vector<double>(n + 1, INFINITY));
  std::vector<std::vector<std::size_t>> next(stages + 1, std::vector<std::size_t>(n + 1, 0));
  slowest[0][n] = 0.0;
  double least = INFINITY;
  for (std::size_t s = 1; s <= stages; ++s) {
    const std::size_t in = s < stages ? chain.level(s - 1, s) : 0;
    const std::size_t out = s > 1 ? chain.level(s - 1, s - 2) : 0;
    const bool again = problem.recompute_allowed && s > 1;
    std::vector<double>& known = loads[{in, out, again}];
    known.resize((n + 1) * (n + 1), -1.0);
    for (std::size_t i = s < stages ? 1 : 0; i < (s < stages ? n : 1); ++i) {
      for (std::size_t j = i + 1; j <= n; ++j) {
        if (std::isinf(slowest[s - 1][j])) {
          continue;
        }
        if (chain.bytes(i, j, s) > memory) {
          break;
        }
        double& load = known[i * (n + 1) + j];
        load = load < 0.0 ? chain.seconds(i, j, in, out, again) : load;
        const double worst = std::max(slowest[s - 1][j], load);
        // The first stage also brings the weights to reduce.
        const double value =
            s < stages
                ? worst
                : waves * worst + chain.reduce_seconds(data, stages, chain.weight_bytes(i, j));
        if (value < (s < stages ? slowest[s][i] : least)) {
          (s < stages ? slowest[s][i] : least) = value;
          next[s][i] = j;
        }
      }
    }
  }
  if (std::isinf(least)) {
    return {};
  }
  std::vector<std::size_t> cuts = {0};
  for (std::size_t s = stages; s > 0; --s) {
    cuts.push_back(next[s][cuts.back()]);
  }
  return cuts;
}

}  // namespace berth::planners
