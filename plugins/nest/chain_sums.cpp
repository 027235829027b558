// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "chain_sums.hpp"

#include <algorithm>

namespace berth::nest {
namespace {

void push_sum(std::vector<double>& sums, double value) {
  sums.push_back(sums.back() + value);
}

}  // namespace

ChainSums::ChainSums(const StrategyProblem& problem, const StrategyConfiguration& configuration)
    : classes_(problem.classes.size()),
      dense_{0.0},
      expert_{0.0},
      least_{0.0},
      least_backward_{0.0} {
  const std::size_t layers = problem.layers.size();
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    saved_[r].push_back(0.0);
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    PerClass& sums = classes_[c];
    sums.forward.push_back(0.0);
    sums.backward.push_back(0.0);
    for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
      sums.again[r].push_back(0.0);
    }
    for (std::size_t v = 0; v < layers; ++v) {
      const LayerCost& cost = problem.cost(configuration, c, v);
      push_sum(sums.forward, cost.forward_seconds);
      push_sum(sums.backward, cost.backward_seconds);
      for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
        push_sum(sums.again[r], cost.recompute_seconds[r]);
      }
    }
  }
  for (std::size_t v = 0; v < layers; ++v) {
    const LayerCost& cost = problem.cost(configuration, 0, v);
    push_sum(dense_, cost.dense_parameters);
    push_sum(expert_, cost.expert_parameters);
    double least = cost.forward_seconds + cost.backward_seconds;
    double backward = cost.backward_seconds;
    for (std::size_t c = 1; c < classes_.size(); ++c) {
      const LayerCost& other = problem.cost(configuration, c, v);
      least = std::min(least, other.forward_seconds + other.backward_seconds);
      backward = std::min(backward, other.backward_seconds);
    }
    push_sum(least_, least);
    push_sum(least_backward_, backward);
    for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
      push_sum(saved_[r], cost.saved_bytes[r]);
      work_[r].push_back(cost.work_bytes[r]);
    }
  }
}

double ChainSums::heaviest_layer() const {
  double heaviest = 0.0;
  for (std::size_t v = 0; v < layers(); ++v) {
    heaviest = std::max(heaviest, least(v, v + 1));
  }
  return heaviest;
}

double ChainSums::slowest_bound(std::size_t stages) const {
  double low = std::max(heaviest_layer(), least(0, layers()) / static_cast<double>(stages));
  // Filling stages up to the mean and one more layer is enough.
  double high = std::min(least(0, layers()),
                         least(0, layers()) / static_cast<double>(stages) + heaviest_layer()) *
                (1.0 + 1e-9);
  // Bisection on the answer; fewer stages than asked for are enough to reach a given maximum.
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    std::size_t used = 0;
    for (auto begin = least_.begin(); begin + 1 != least_.end() && used <= stages; ++used) {
      begin = std::upper_bound(begin, least_.end(), *begin + middle) - 1;
    }
    (used <= stages ? high : low) = middle;
  }
  return low;
}

}  // namespace berth::nest
