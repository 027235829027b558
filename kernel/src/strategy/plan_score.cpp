// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plan_score.hpp"

#include <algorithm>
#include <cmath>

#include "berth/collectives.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

class PlanWalk {
 public:
  PlanWalk(const StrategyProblem& problem, const ParallelPlan& plan, const PlanRules& rules)
      : problem_(problem),
        plan_(plan),
        rules_(rules),
        configuration_(problem.configurations[plan.configuration]),
        collectives_(problem.network),
        last_(plan.stages.size() - 1) {}

  [[nodiscard]] double dense(std::size_t q) const {
    double sum = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      sum += cost(0, v).dense_parameters;
    }
    return last_ == 0 ? sum - configuration_.tied_parameters : sum;
  }

  [[nodiscard]] double experts(std::size_t q) const {
    double sum = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      sum += cost(0, v).expert_parameters;
    }
    return sum;
  }

  // Parameters whose ZeRO shard one device keeps.
  [[nodiscard]] double shard(std::size_t q) const {
    const double replicas = static_cast<double>(plan_.data) * plan_.context;
    return dense(q) / (replicas * plan_.expert) + experts(q) / replicas;
  }

  [[nodiscard]] StageMemory memory(std::size_t q) const {
    const auto r = static_cast<std::size_t>(plan_.stages[q].recompute);
    const double parameters = dense(q) + experts(q);
    const MemoryRules& rules = problem_.memory;
    StageMemory memory;
    memory.weights = rules.weight_bytes * (plan_.zero_stage == 3 ? shard(q) : parameters);
    memory.gradients = rules.gradient_bytes * (plan_.zero_stage >= 2 ? shard(q) : parameters);
    memory.optimizer = rules.optimizer_bytes * (plan_.zero_stage >= 1 ? shard(q) : parameters);
    memory.reserve = rules.reserve_bytes;
    const auto waves = static_cast<double>(plan_.micro_batches);
    const double in_flight = std::min(static_cast<double>(last_ - q + 1), waves);
    double largest = 0.0;
    for (std::size_t v = begin(q); v < end(q); ++v) {
      const LayerCost& layer = cost(0, v);
      memory.stash += in_flight * layer.saved_bytes[r];
      memory.work = std::max(memory.work, layer.work_bytes[r]);
      largest = std::max(largest, layer.dense_parameters + layer.expert_parameters);
    }
    memory.work += plan_.zero_stage == 3 ? 2.0 * rules.weight_bytes * largest : 0.0;
    return memory;
  }

  // Seconds of the message between stages q and q + 1, the slowest pair of ranks.
  [[nodiscard]] double link(std::size_t q) const {
    std::size_t level = 0;
    for (const std::vector<std::uint32_t>& replica : plan_.first_device) {
      for (std::uint32_t k = 0; k < plan_.stages[q].devices; ++k) {
        level = std::max(level, problem_.network.level_between(replica[q] + k, replica[q + 1] + k));
      }
    }
    const std::size_t at_once = plan_.packing == Packing::kDataInner
                                    ? std::size_t{plan_.stages[q].devices} * plan_.data
                                    : plan_.stages[q].devices;
    const AffineCost message = collectives_.point_to_point(level, at_once);
    double bytes = 0.0;
    for (const LayerEdge& edge : configuration_.edges) {
      bytes += edge.from < end(q) && edge.to >= end(q) ? edge.size_bytes : 0.0;
    }
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
        here.forward += cost(c, v).forward_seconds;
        here.backward += cost(c, v).backward_seconds;
        here.recompute += cost(c, v).recompute_seconds[r];
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
    if (configuration_.tied_parameters == 0.0 || last_ == 0) {
      return 0.0;
    }
    std::size_t level = 0;
    for (const std::vector<std::uint32_t>& replica : plan_.first_device) {
      level = std::max(level, problem_.network.level_between(replica.front(), replica.back()));
    }
    GroupShape pair{std::vector<std::uint32_t>(problem_.network.num_levels(), 1)};
    pair.members[level] = 2;
    const double bytes = problem_.memory.gradient_bytes * configuration_.tied_parameters;
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
  [[nodiscard]] const LayerCost& cost(std::size_t device_class, std::size_t v) const {
    return problem_.cost(configuration_, device_class, v);
  }

  [[nodiscard]] std::vector<std::size_t> classes(std::size_t q) const {
    std::vector<bool> seen(problem_.classes.size(), false);
    for (const std::vector<std::uint32_t>& replica : plan_.first_device) {
      for (std::uint32_t k = 0; k < plan_.stages[q].devices; ++k) {
        seen[problem_.class_of(replica[q] + k)] = true;
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
    for (std::uint32_t k = 0; k < plan_.tensor; ++k) {
      std::vector<std::uint32_t> ranks;
      for (const std::vector<std::uint32_t>& replica : plan_.first_device) {
        for (std::uint32_t c = 0; c < copies_per_block; ++c) {
          ranks.push_back(replica[q] + k + c * plan_.tensor);
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
    add(dense(q), group(q, plan_.context * plan_.expert));
    if (experts(q) > 0.0) {
      add(experts(q), group(q, plan_.context));
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
  const StrategyConfiguration& configuration_;
  Collectives collectives_;
  std::size_t last_;
};

}  // namespace

PlanScore score_plan(const StrategyProblem& problem,
                     const ParallelPlan& plan,
                     const PlanRules& rules) {
  check_plan(problem, plan);
  const PlanWalk walk(problem, plan, rules);
  PlanScore score;
  std::vector<PipelineStage> pipeline;
  double sum = 0.0;
  double slowest = 0.0;
  double upstream = 0.0;  // backward passes that still run when a stage has ended its last
  double busy = 0.0;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const StageTime time = walk.time(q);
    const StageMemory memory = walk.memory(q);
    score.times.push_back(time);
    score.memories.push_back(memory);
    sum += time.load();
    slowest = std::max(slowest, time.load());
    score.sync_seconds = std::max(score.sync_seconds, time.sync + time.step - upstream);
    upstream += time.backward + time.recompute;
    const double half_zero = 0.5 * time.zero;
    const double link =
        q + 1 < plan.stages.size() ? (1.0 - rules.overlap_transfer) * walk.link(q) : 0.0;
    pipeline.push_back(
        {time.forward + half_zero, time.backward + time.recompute + half_zero, link});
    busy += time.forward + time.backward + time.recompute + time.zero;
    const double share = memory.total() / walk.smallest_memory(q);
    if (share > score.fullest_share) {
      score.fullest_share = share;
      score.fullest_stage = q;
    }
  }
  const auto waves = static_cast<double>(plan.micro_batches);
  score.pipeline_seconds = sum + (waves - 1.0) * slowest;
  score.sync_seconds += walk.tied_seconds();
  score.seconds_per_batch = score.pipeline_seconds + score.sync_seconds;
  score.simulated_seconds = simulate_1f1b(pipeline, plan.micro_batches) + score.sync_seconds;
  score.bubble_fraction =
      1.0 - busy * waves / (static_cast<double>(plan.stages.size()) * score.pipeline_seconds);
  score.fits = score.fullest_share <= 1.0;
  return score;
}

}  // namespace abi_v1
}  // namespace berth
