// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/artifact_score.hpp"

#include <algorithm>
#include <vector>

namespace berth {
inline namespace abi_v1 {
namespace {

// Walks one stage layer by layer, forward and back, with what arrives from outside on the links
// that its real devices have.
class StageWalk {
 public:
  StageWalk(const StrategyProblem& problem, const ParallelPlan& plan, std::size_t q)
      : problem_(problem),
        plan_(plan),
        configuration_(problem.configurations[plan.configuration]),
        q_(q),
        begin_(plan.stages[q].first_layer),
        end_(begin_ + plan.stages[q].num_layers) {}

  [[nodiscard]] double seconds(const ArtifactRules& rules) const {
    const bool again = problem_.recompute_allowed && q_ + 1 < plan_.stages.size();
    double clock = 0.0;
    for (std::size_t v = begin_; v < end_; ++v) {
      for (const LayerEdge& edge : configuration_.edges) {
        if (edge.to == v && edge.from < begin_) {
          clock = std::max(clock, travel(edge.size_bytes, q_ - 1));
        }
      }
      clock += cost(v).forward_seconds;
    }
    const double forward = clock;
    clock = 0.0;
    for (std::size_t v = begin_; again && v < end_; ++v) {
      clock +=
          rules.recompute_at_backward_cost ? cost(v).backward_seconds : cost(v).forward_seconds;
    }
    for (std::size_t v = end_; v > begin_; --v) {
      for (const LayerEdge& edge : configuration_.edges) {
        if (edge.from == v - 1 && edge.to >= end_) {
          clock = std::max(clock, travel(edge.size_bytes, q_ + 1));
        }
      }
      clock += cost(v - 1).backward_seconds;
    }
    return forward + clock;
  }

  [[nodiscard]] double memory_bytes() const {
    double weights = 0.0;
    double activations = 0.0;
    double entering = 0.0;
    for (std::size_t v = begin_; v < end_; ++v) {
      weights += cost(v).dense_parameters;
      activations += cost(v).saved_bytes[0];
    }
    for (const LayerEdge& edge : configuration_.edges) {
      const bool enters = edge.from < begin_ && edge.to >= begin_ && edge.to < end_;
      entering += enters ? edge.size_bytes : 0.0;
    }
    const MemoryRules& memory = problem_.memory;
    const double position = static_cast<double>(plan_.stages.size() - q_);
    return weights * (memory.weight_bytes + memory.gradient_bytes + memory.optimizer_bytes) +
           activations + (position - 1.0) * (problem_.recompute_allowed ? entering : activations);
  }

  [[nodiscard]] double weight_bytes() const {
    double weights = 0.0;
    for (std::size_t v = begin_; v < end_; ++v) {
      weights += cost(v).dense_parameters;
    }
    return weights * problem_.memory.weight_bytes;
  }

 private:
  [[nodiscard]] const LayerCost& cost(std::size_t v) const {
    return problem_.cost(configuration_, 0, v);
  }

  [[nodiscard]] double travel(double size_bytes, std::size_t other) const {
    const NetworkLevels& network = problem_.network;
    const std::size_t top =
        network.level_between(plan_.stages[q_].blocks[0][0], plan_.stages[other].blocks[0][0]);
    double narrowest = network.level(0).bandwidth_bytes_per_second;
    for (std::size_t l = 1; l <= top; ++l) {
      narrowest = std::min(narrowest, network.level(l).bandwidth_bytes_per_second);
    }
    const double once = size_bytes / narrowest + network.level(top).latency_seconds;
    return top == 0 ? once : once + once;
  }

  const StrategyProblem& problem_;
  const ParallelPlan& plan_;
  const StrategyConfiguration& configuration_;
  std::size_t q_;
  std::size_t begin_;
  std::size_t end_;
};

double all_reduce_seconds(const StrategyProblem& problem,
                          const ParallelPlan& plan,
                          double size_bytes) {
  const NetworkLevels& network = problem.network;
  // The artifact takes the devices where the replicas begin, which hold their last stages.
  std::size_t top = 0;
  const std::vector<std::vector<std::uint32_t>>& last = plan.stages.back().blocks;
  for (const std::vector<std::uint32_t>& block : last) {
    top = std::max(top, network.level_between(last[0][0], block[0]));
  }
  double total = 0.0;
  double part = size_bytes;
  for (std::size_t ranks = plan.data; ranks > 1; ranks /= 2) {
    total += network.level(0).latency_seconds + part / network.level(0).bandwidth_bytes_per_second;
    part *= 0.5;
  }
  double below = 0.0;
  for (std::size_t l = 1; l <= top; ++l) {
    const NetworkLevel& level = network.level(l);
    total += 2.0 * (level.latency_seconds + size_bytes / level.bandwidth_bytes_per_second) + below;
    below += total;
  }
  return total;
}

}  // namespace

ArtifactScore score_artifact_plan(const StrategyProblem& problem,
                                  const ParallelPlan& plan,
                                  const ArtifactRules& rules) {
  check_plan(problem, plan);
  ArtifactScore score;
  double sum = 0.0;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const StageWalk walk(problem, plan, q);
    const double load = walk.seconds(rules);
    sum += load;
    score.slowest_stage_seconds = std::max(score.slowest_stage_seconds, load);
    score.worst_memory_bytes = std::max(score.worst_memory_bytes, walk.memory_bytes());
  }
  const StrategyConfiguration& configuration = problem.configurations[plan.configuration];
  const std::size_t waves = (configuration.micro_batches + plan.data - 1) / plan.data;
  const double stages = static_cast<double>(plan.stages.size());
  const double steady = static_cast<double>(waves) - 1.0;
  score.sync_seconds =
      all_reduce_seconds(problem, plan, StageWalk(problem, plan, 0).weight_bytes());
  score.seconds_per_batch = (rules.fill_by_sum ? sum : stages * score.slowest_stage_seconds) +
                            steady * score.slowest_stage_seconds + score.sync_seconds;
  score.fits = score.worst_memory_bytes <= problem.classes.front().memory_bytes;
  return score;
}

}  // namespace abi_v1
}  // namespace berth
