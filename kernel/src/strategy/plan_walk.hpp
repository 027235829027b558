// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "berth/collectives.hpp"
#include "berth/plan_score.hpp"

namespace berth::internal {

/// What every stage of a plan costs, read off its device lists.
class PlanWalk {
 public:
  PlanWalk(const StrategyProblem& problem, const ParallelPlan& plan, const PlanRules& rules)
      : problem_(problem),
        plan_(plan),
        rules_(rules),
        collectives_(problem.network),
        last_(plan.stages.size() - 1) {}

  [[nodiscard]] double dense(std::size_t q) const {
    double sum = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      sum += cost(q, 0, v).dense_parameters;
    }
    return last_ == 0 ? sum - configuration(q).tied_parameters : sum;
  }

  [[nodiscard]] double experts(std::size_t q) const {
    double sum = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      sum += cost(q, 0, v).expert_parameters;
    }
    return sum;
  }

  // Parameters whose ZeRO shard one device keeps.
  [[nodiscard]] double shard(std::size_t q) const {
    const double replicas = static_cast<double>(replicas_of(q)) * configuration(q).context;
    return dense(q) / (replicas * configuration(q).expert) + experts(q) / replicas;
  }

  // Micro-batches of the busiest replica.
  [[nodiscard]] double waves(std::size_t q) const {
    const std::size_t batch = configuration(q).micro_batches;
    return static_cast<double>((batch + replicas_of(q) - 1) / replicas_of(q));
  }

  // With the most micro-batches that one replica ever has in flight.
  [[nodiscard]] StageMemory memory(std::size_t q, double in_flight) const {
    const auto r = static_cast<std::size_t>(plan_.stages[q].recompute);
    const double parameters = dense(q) + experts(q);
    const MemoryRules& rules = problem_.memory;
    StageMemory memory;
    memory.weights = rules.weight_bytes * (plan_.zero_stage == 3 ? shard(q) : parameters);
    memory.gradients = rules.gradient_bytes * (plan_.zero_stage >= 2 ? shard(q) : parameters);
    memory.optimizer = rules.optimizer_bytes * (plan_.zero_stage >= 1 ? shard(q) : parameters);
    memory.reserve = q < plan_.depth() ? rules.reserve_bytes : 0.0;  // once a device
    double largest = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      const LayerCost& layer = cost(q, 0, v);
      memory.stash += in_flight * layer.saved_bytes[r];
      memory.work = std::max(memory.work, layer.work_bytes[r]);
      largest = std::max(largest, layer.dense_parameters + layer.expert_parameters);
    }
    memory.work += plan_.zero_stage == 3 ? 2.0 * rules.weight_bytes * largest : 0.0;
    return memory;
  }

  [[nodiscard]] double saved_bytes(std::size_t q) const {
    const auto r = static_cast<std::size_t>(plan_.stages[q].recompute);
    double bytes = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      bytes += cost(q, 0, v).saved_bytes[r];
    }
    return bytes;
  }

  // Seconds of the message between stages q and q + 1, the slowest pair of ranks.
  [[nodiscard]] double link(std::size_t q) const {
    const AffineCost message = collectives_.point_to_point(boundary_level(q), senders(q));
    const double bytes = std::max(crossing_bytes(configuration(q), end(q)),
                                  crossing_bytes(configuration(q + 1), end(q)));
    return message.seconds + bytes * message.seconds_per_byte;
  }

  [[nodiscard]] StageTime time(std::size_t q) const {
    const auto r = static_cast<std::size_t>(plan_.stages[q].recompute);
    StageTime slowest;
    std::size_t device_class = 0;
    double most = -1.0;
    for (const std::size_t c : classes(q)) {
      StageTime here;
      for (std::size_t v = begin(q); v < end(q); ++v) {
        here.forward += cost(q, c, v).forward_seconds;
        here.backward += cost(q, c, v).backward_seconds;
        here.recompute += cost(q, c, v).recompute_seconds[r];
      }
      if (here.load() > most) {
        most = here.load();
        slowest = here;
        device_class = c;
      }
    }
    slowest.transfer = (1.0 - rules_.overlap_transfer) *
                       ((q > 0 ? link(q - 1) : 0.0) + (q < last_ ? link(q) : 0.0));
    add_gradients(q, slowest);
    const DeviceClass& device = problem_.classes[device_class];
    if (device.memory_bytes_per_second > 0.0) {
      const MemoryRules& rules = problem_.memory;
      const double own = plan_.zero_stage >= 1 ? shard(q) : dense(q) + experts(q);
      slowest.step = own *
                     (2.0 * rules.optimizer_bytes + rules.gradient_bytes + rules.weight_bytes) /
                     device.memory_bytes_per_second;
    }
    return slowest;
  }

  [[nodiscard]] double tied_seconds() const {
    const double tied = configuration(0).tied_parameters;
    if (tied == 0.0 || last_ == 0) {
      return 0.0;
    }
    std::size_t level = 0;
    if (plan_.is_uniform()) {
      for (std::size_t r = 0; r < replicas_of(0); ++r) {
        level = std::max(level,
                         problem_.network.level_between(plan_.stages.front().blocks[r][0],
                                                        plan_.stages.back().blocks[r][0]));
      }
    } else {  // copies cut differently meet anywhere between the first and the last stage
      for (std::size_t q = 0; q < last_; ++q) {
        level = std::max(level, widest_level(q, q + 1));
      }
    }
    GroupShape pair{std::vector<std::uint32_t>(problem_.network.num_levels(), 1)};
    pair.members[level] = 2;
    const double bytes = problem_.memory.gradient_bytes * tied;
    return (1.0 - rules_.overlap_gradient) * collectives_.all_reduce(pair).seconds(bytes);
  }

  [[nodiscard]] double smallest_memory(std::size_t q) const {
    double least = INFINITY;
    for (const std::size_t c : classes(q)) {
      least = std::min(least, problem_.classes[c].memory_bytes);
    }
    return least;
  }

 private:
  [[nodiscard]] std::size_t begin(std::size_t q) const { return plan_.stages[q].first_layer; }
  [[nodiscard]] std::size_t end(std::size_t q) const {
    return begin(q) + plan_.stages[q].num_layers;
  }
  [[nodiscard]] std::size_t replicas_of(std::size_t q) const { return plan_.stages[q].replicas(); }
  [[nodiscard]] const StrategyConfiguration& configuration(std::size_t q) const {
    return problem_.configurations[plan_.stages[q].configuration];
  }
  [[nodiscard]] const LayerCost& cost(std::size_t q,
                                      std::size_t device_class,
                                      std::size_t v) const {
    return problem_.cost(configuration(q), device_class, v);
  }

  [[nodiscard]] static double crossing_bytes(const StrategyConfiguration& configuration,
                                             std::size_t cut) {
    double bytes = 0.0;
    for (const LayerEdge& edge : configuration.edges) {
      bytes += edge.from < cut && edge.to >= cut ? edge.size_bytes : 0.0;
    }
    return bytes;
  }

  // Devices that send across the boundary behind stage q at the same time, on the busier side.
  [[nodiscard]] std::size_t senders(std::size_t q) const {
    const auto side = [this](std::size_t u) {
      return plan_.stages[u].devices *
             (plan_.packing == Packing::kDataInner ? replicas_of(u) : std::size_t{1});
    };
    return std::max(side(q), side(q + 1));
  }

  // Rank k sends to rank k where both sides are alike; else any device may send to any other.
  [[nodiscard]] std::size_t boundary_level(std::size_t q) const {
    const PlanStage& here = plan_.stages[q];
    const PlanStage& there = plan_.stages[q + 1];
    if (here.configuration != there.configuration || here.replicas() != there.replicas()) {
      return widest_level(q, q + 1);
    }
    std::size_t level = 0;
    for (std::size_t r = 0; r < here.replicas(); ++r) {
      for (std::size_t k = 0; k < here.devices; ++k) {
        level =
            std::max(level, problem_.network.level_between(here.blocks[r][k], there.blocks[r][k]));
      }
    }
    return level;
  }

  [[nodiscard]] std::size_t widest_level(std::size_t q, std::size_t u) const {
    std::size_t level = 0;
    for (const std::vector<std::uint32_t>& here : plan_.stages[q].blocks) {
      for (const std::vector<std::uint32_t>& there : plan_.stages[u].blocks) {
        for (const std::uint32_t x : here) {
          for (const std::uint32_t y : there) {
            level = std::max(level, problem_.network.level_between(x, y));
          }
        }
      }
    }
    return level;
  }

  [[nodiscard]] std::vector<std::size_t> classes(std::size_t q) const {
    std::vector<bool> seen(problem_.classes.size(), false);
    for (const std::vector<std::uint32_t>& block : plan_.stages[q].blocks) {
      for (const std::uint32_t device : block) {
        seen[problem_.class_of(device)] = true;
      }
    }
    std::vector<std::size_t> list;
    for (std::size_t c = 0; c < seen.size(); ++c) {
      if (seen[c]) {
        list.push_back(c);
      }
    }
    return list;
  }

  // The devices that share a gradient with tensor rank k of stage q; the outermost spread counts.
  [[nodiscard]] GroupShape group(std::size_t q, std::uint32_t copies_per_block) const {
    GroupShape widest;
    const std::uint32_t tensor = configuration(q).tensor;
    for (std::uint32_t k = 0; k < tensor; ++k) {
      std::vector<std::uint32_t> ranks;
      for (const std::vector<std::uint32_t>& block : plan_.stages[q].blocks) {
        for (std::uint32_t c = 0; c < copies_per_block; ++c) {
          ranks.push_back(block[k + c * tensor]);
        }
      }
      std::sort(ranks.begin(), ranks.end());
      GroupShape shape = shape_of(problem_.network, ranks);
      if (k == 0 || std::lexicographical_compare(widest.members.rbegin(),
                                                 widest.members.rend(),
                                                 shape.members.rbegin(),
                                                 shape.members.rend())) {
        widest = std::move(shape);
      }
    }
    return widest;
  }

  void add_gradients(std::size_t q, StageTime& time) const {
    const double w = problem_.memory.weight_bytes;
    const double g = problem_.memory.gradient_bytes;
    double reduce = 0.0;
    double scatter = 0.0;
    double gather = 0.0;
    const auto add = [&](double parameters, const GroupShape& shape) {
      reduce += collectives_.all_reduce(shape).seconds(g * parameters);
      scatter += collectives_.reduce_scatter(shape).seconds(g * parameters);
      gather += collectives_.all_gather(shape).seconds(w * parameters);
    };
    add(dense(q), group(q, configuration(q).context * configuration(q).expert));
    if (experts(q) > 0.0) {
      add(experts(q), group(q, configuration(q).context));
    }
    const double visible = 1.0 - rules_.overlap_gradient;
    const bool full = plan_.stages[q].recompute == Recompute::kFull;
    if (plan_.zero_stage == 0) {
      time.sync = visible * reduce;
    } else if (plan_.zero_stage == 1) {
      time.sync = visible * (scatter + gather);
    } else if (plan_.zero_stage == 2) {
      time.sync = visible * gather;
      time.zero = visible * scatter;
    } else {
      time.zero = visible * ((full ? 3.0 : 2.0) * gather + scatter);
    }
  }

  const StrategyProblem& problem_;
  const ParallelPlan& plan_;
  const PlanRules& rules_;
  Collectives collectives_;
  std::size_t last_;
};

}  // namespace berth::internal
