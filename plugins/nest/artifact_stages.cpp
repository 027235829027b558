// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact_stages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace berth::nest {
namespace {

// sums[v] = sum of the first v values.
template <class Value>
std::vector<double> prefix_sums(std::size_t count, Value value) {
  std::vector<double> sums(count + 1, 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    sums[v + 1] = sums[v] + value(v);
  }
  return sums;
}

// Added one by one, so that equal stages are equal to the last bit wherever they stand.
double sum(const std::vector<double>& values, std::size_t i, std::size_t j) {
  double total = 0.0;
  for (std::size_t v = i; v < j; ++v) {
    total += values[v];
  }
  return total;
}

}  // namespace

ArtifactStages::ArtifactStages(const StrategyProblem& problem,
                               const StrategyConfiguration& configuration,
                               const ArtifactOptions& options)
    : layers_(problem.layers.size()),
      recompute_(problem.recompute_allowed),
      memory_bytes_(problem.classes.front().memory_bytes),
      optimizer_per_weight_(problem.memory.optimizer_bytes / problem.memory.weight_bytes) {
  double slowest = INFINITY;
  for (std::size_t l = 0; l < problem.network.num_levels(); ++l) {
    const NetworkLevel& level = problem.network.level(l);
    slowest = std::min(slowest, level.bandwidth_bytes_per_second);
    bandwidth_.push_back(slowest);
    raw_bandwidth_.push_back(level.bandwidth_bytes_per_second);
    latency_.push_back(level.latency_seconds);
  }
  const auto cost = [&](std::size_t v) -> const LayerCost& {
    return problem.cost(configuration, 0, v);
  };
  for (std::size_t v = 0; v < layers_; ++v) {
    forward_.push_back(cost(v).forward_seconds);
    backward_.push_back(cost(v).backward_seconds);
  }
  weight_sum_ = prefix_sums(layers_, [&](std::size_t v) {
    return cost(v).dense_parameters * problem.memory.weight_bytes;
  });
  activation_sum_ = prefix_sums(layers_, [&](std::size_t v) { return cost(v).saved_bytes[0]; });
  again_ =
      options.recompute_cost == ArtifactOptions::RecomputeCost::kBackward ? backward_ : forward_;
  fill_forward(configuration);
  fill_backward(configuration);
  fill_crossing(configuration);
}

double ArtifactStages::transfer(std::size_t level, double size_bytes) const {
  const double once = size_bytes / bandwidth_[level] + latency_[level];
  return level == 0 ? once : 2.0 * once;  // up and down through a switch
}

void ArtifactStages::fill_forward(const StrategyConfiguration& configuration) {
  std::vector<std::vector<LayerEdge>> into(layers_);
  for (const LayerEdge& edge : configuration.edges) {
    into[edge.to].push_back(edge);
  }
  forward_time_.assign(num_levels() * layers_ * (layers_ + 1), 0.0);
  for (std::size_t level = 0; level < num_levels(); ++level) {
    double* table = &forward_time_[level * layers_ * (layers_ + 1)];
    for (std::size_t i = 0; i < layers_; ++i) {
      double finish = 0.0;
      for (std::size_t v = i; v < layers_; ++v) {
        double start = finish;
        for (const LayerEdge& edge : into[v]) {
          if (edge.from < i) {
            start = std::max(start, transfer(level, edge.size_bytes));
          }
        }
        finish = start + forward_[v];
        table[at(i, v + 1)] = finish;
      }
    }
  }
}

void ArtifactStages::fill_backward(const StrategyConfiguration& configuration) {
  std::vector<std::vector<LayerEdge>> out_of(layers_);
  for (const LayerEdge& edge : configuration.edges) {
    out_of[edge.from].push_back(edge);
  }
  backward_time_.assign(num_levels() * layers_ * (layers_ + 1), 0.0);
  again_time_.assign(recompute_ ? backward_time_.size() : 0, 0.0);
  for (std::size_t level = 0; level < num_levels(); ++level) {
    const std::size_t table = level * layers_ * (layers_ + 1);
    for (std::size_t j = 1; j <= layers_; ++j) {
      std::vector<double> arrival(j, 0.0);  // of the gradient, from outside the stage
      for (std::size_t v = 0; v < j; ++v) {
        for (const LayerEdge& edge : out_of[v]) {
          if (edge.to >= j) {
            arrival[v] = std::max(arrival[v], transfer(level, edge.size_bytes));
          }
        }
      }
      double finish = 0.0;
      for (std::size_t v = j; v-- > 0;) {
        finish = std::max(finish, arrival[v]) + backward_[v];
        backward_time_[table + at(v, j)] = finish;
      }
      for (std::size_t i = 0; recompute_ && i < j; ++i) {
        finish = sum(again_, i, j);
        for (std::size_t v = j; v-- > i;) {
          finish = std::max(finish, arrival[v]) + backward_[v];
        }
        again_time_[table + at(i, j)] = finish;
      }
    }
  }
}

void ArtifactStages::fill_crossing(const StrategyConfiguration& configuration) {
  std::vector<std::vector<LayerEdge>> into(layers_);
  for (const LayerEdge& edge : configuration.edges) {
    into[edge.to].push_back(edge);
  }
  crossing_.assign(layers_ * (layers_ + 1), 0.0);
  for (std::size_t i = 0; i < layers_; ++i) {
    double bytes = 0.0;
    for (std::size_t v = i; v < layers_; ++v) {
      for (const LayerEdge& edge : into[v]) {
        bytes += edge.from < i ? edge.size_bytes : 0.0;
      }
      crossing_[at(i, v + 1)] = bytes;
    }
  }
}

double ArtifactStages::load(
    std::size_t i, std::size_t j, std::size_t in, std::size_t out, std::size_t position) const {
  const std::size_t table = layers_ * (layers_ + 1);
  const std::vector<double>& back = recompute_ && position > 1 ? again_time_ : backward_time_;
  return forward_time_[in * table + at(i, j)] + back[out * table + at(i, j)];
}

double ArtifactStages::forward(std::size_t i, std::size_t j) const {
  return sum(forward_, i, j);
}

double ArtifactStages::backward(std::size_t i, std::size_t j) const {
  return sum(backward_, i, j);
}

double ArtifactStages::recompute(std::size_t i, std::size_t j, std::size_t position) const {
  return recompute_ && position > 1 ? sum(again_, i, j) : 0.0;
}

double ArtifactStages::weight_bytes(std::size_t i, std::size_t j) const {
  return weight_sum_[j] - weight_sum_[i];
}

double ArtifactStages::optimizer_bytes(std::size_t i, std::size_t j) const {
  return optimizer_per_weight_ * weight_bytes(i, j);
}

double ArtifactStages::activation_bytes(std::size_t i, std::size_t j) const {
  return activation_sum_[j] - activation_sum_[i];
}

double ArtifactStages::stash_bytes(std::size_t i, std::size_t j) const {
  return recompute_ ? crossing_[at(i, j)] : activation_bytes(i, j);
}

double ArtifactStages::fixed_bytes(std::size_t i, std::size_t j) const {
  return 2.0 * weight_bytes(i, j) + optimizer_bytes(i, j) + activation_bytes(i, j);
}

std::size_t ArtifactStages::deepest_position(std::size_t i,
                                             std::size_t j,
                                             double fixed,
                                             std::size_t most) const {
  const double stash = stash_bytes(i, j);
  if (fixed > memory_bytes_) {
    return 0;
  }
  if (fixed + static_cast<double>(most - 1) * stash <= memory_bytes_) {
    return most;
  }
  return 1 + static_cast<std::size_t>(std::floor((memory_bytes_ - fixed) / stash));
}

double ArtifactStages::all_reduce(const NetworkLevels& network,
                                  double size_bytes,
                                  std::size_t ranks,
                                  std::size_t stride) const {
  double total = 0.0;
  double part = size_bytes;
  for (std::size_t doublings = std::bit_width(ranks) - 1; doublings > 0; --doublings) {
    total += latency_[0] + part / raw_bandwidth_[0];
    part /= 2.0;
  }
  double low = 0.0;
  const std::size_t top = network.level_between(0, (ranks - 1) * stride);
  for (std::size_t l = 1; l <= top; ++l) {
    total += 2.0 * (latency_[l] + size_bytes / raw_bandwidth_[l]) + low;
    low += total;
  }
  return total;
}

}  // namespace berth::nest
