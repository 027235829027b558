// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "berth/plan_score.hpp"

#include "random_problem.hpp"

// Every plan there is of small problems, each scored from its device lists by the kernel, which
// shares neither prices nor cuts with the planner.
namespace berth::testing {

// Configuration, replicas and chunk of a stage that a plan is being built of.
struct Slot {
  std::uint32_t configuration = 0;
  std::size_t data = 1;
};

// Calls `use` with the sizes of every cut of n layers into `stages`.
inline void for_each_cut(std::size_t n,
                         std::size_t stages,
                         const std::function<void(const std::vector<std::size_t>&)>& use) {
  std::vector<std::size_t> sizes;
  const std::function<void(std::size_t)> extend = [&](std::size_t rest) {
    if (sizes.size() + 1 == stages) {
      sizes.push_back(rest);
      use(sizes);
      sizes.pop_back();
      return;
    }
    for (std::size_t size = 1; size + (stages - sizes.size() - 1) <= rest; ++size) {
      sizes.push_back(size);
      extend(rest - size);
      sizes.pop_back();
    }
  };
  extend(n);
}

// The best recomputation of every block: memory and load of a block depend on its own alone.
inline PlanScore best_recompute(const StrategyProblem& problem, ParallelPlan& plan) {
  const std::size_t depth = plan.depth();
  std::vector<double> least(depth, INFINITY);
  std::vector<std::size_t> chosen(depth, 0);
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    for (PlanStage& stage : plan.stages) {
      stage.recompute = static_cast<Recompute>(r);
    }
    const PlanScore score = score_plan(problem, plan, {});
    for (std::size_t block = 0; block < depth; ++block) {
      double memory = INFINITY;
      for (const auto& devices : plan.stages[block].blocks) {
        for (const std::uint32_t device : devices) {
          memory = std::min(memory, problem.classes[problem.class_of(device)].memory_bytes);
        }
      }
      double load = 0.0;
      for (std::size_t q = block; q < plan.stages.size(); q += depth) {
        load += score.times[q].load();
      }
      if (score.peak_bytes[block] <= memory && load < least[block]) {
        least[block] = load;
        chosen[block] = r;
      }
    }
  }
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    plan.stages[q].recompute = static_cast<Recompute>(chosen[q % depth]);
  }
  return score_plan(problem, plan, {});
}

inline void set_degrees(const StrategyProblem& problem, ParallelPlan& plan) {
  plan.configuration = plan.stages.front().configuration;
  plan.data = static_cast<std::uint32_t>(plan.stages.front().replicas());
  std::size_t least = plan.data;
  for (const PlanStage& stage : plan.stages) {
    least = std::min(least, stage.replicas());
  }
  const std::size_t batch = problem.configurations[plan.configuration].micro_batches;
  plan.micro_batches = static_cast<std::uint32_t>((batch + least - 1) / least);
}

// Stages of the given sizes, first to last, with nothing but layers and configurations.
inline ParallelPlan plan_of(const std::vector<std::size_t>& sizes,
                            const StrategyProblem& problem,
                            const std::vector<Slot>& slots) {
  ParallelPlan plan;
  std::uint32_t first = 0;
  for (std::size_t q = 0; q < sizes.size(); ++q) {
    PlanStage& stage = plan.stages.emplace_back();
    stage.first_layer = first;
    stage.num_layers = static_cast<std::uint32_t>(sizes[q]);
    stage.configuration = slots[q].configuration;
    stage.devices = static_cast<std::uint32_t>(problem.configurations[stage.configuration].block());
    first += stage.num_layers;
  }
  return plan;
}

inline std::vector<std::uint32_t> part(const std::vector<std::uint32_t>& order,
                                       std::size_t first,
                                       std::size_t count) {
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// Whether no plan of these sizes and degrees takes less than `best`: compute alone, each stage on
// its fastest device.
inline bool hopeless(const StrategyProblem& problem,
                     const std::vector<std::size_t>& sizes,
                     const std::vector<Slot>& slots,
                     double best) {
  double sum = 0.0;
  double steady = 0.0;
  std::size_t v = 0;
  for (std::size_t q = 0; q < sizes.size(); ++q) {
    const StrategyConfiguration& c = problem.configurations[slots[q].configuration];
    double load = 0.0;
    for (const std::size_t end = v + sizes[q]; v < end; ++v) {
      double least = INFINITY;
      for (std::size_t k = 0; k < problem.classes.size(); ++k) {
        const LayerCost& cost = problem.cost(c, k, v);
        least = std::min(least, cost.forward_seconds + cost.backward_seconds);
      }
      load += least;
    }
    const std::size_t waves = (c.micro_batches + slots[q].data - 1) / slots[q].data;
    sum += load;
    steady = std::max(steady, static_cast<double>(waves - 1) * load);
  }
  return (sum + steady) * (1.0 - 1e-9) > best;
}

// Numbers of chunks a device that a search covers.
struct Chunks {
  std::size_t least = 1;
  std::size_t most = 1;
};

// Least time over equal stages: every cut, degree, packing, order and number of chunks.
inline double exhaustive_uniform(const StrategyProblem& problem,
                                 std::uint32_t zero,
                                 const Chunks& chunks) {
  double best = INFINITY;
  const std::size_t n = problem.layers.size();
  const std::size_t devices = problem.network.num_devices();
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    const std::size_t block = c.block();
    for (std::size_t depth = chunks.least > 1 ? 2 : 1; depth <= n && depth * block <= devices;
         ++depth) {
      for (std::size_t d = 1; d * depth * block <= devices && d <= c.micro_batches; ++d) {
        for (std::size_t v = chunks.least; v * depth <= n && v <= chunks.most; ++v) {
          if ((v > 1 && c.micro_batches % (d * depth) != 0) ||
              (zero > 0 && d * c.context * c.expert == 1)) {
            continue;
          }
          for_each_cut(n, v * depth, [&](const std::vector<std::size_t>& sizes) {
            const std::vector<Slot> slots(sizes.size(), {index, d});
            if (v == 1 && hopeless(problem, sizes, slots, best)) {
              return;
            }
            ParallelPlan plan = plan_of(sizes, problem, slots);
            plan.chunks = static_cast<std::uint32_t>(v);
            plan.zero_stage = zero;
            for (const auto& [classes, order] : all_orders(problem)) {
              for (const Packing packing : {Packing::kPipelineInner, Packing::kDataInner}) {
                plan.packing = packing;
                plan.class_order = classes;
                for (std::size_t q = 0; q < plan.stages.size(); ++q) {
                  plan.stages[q].blocks.clear();
                  const std::size_t from_end = depth - 1 - q % depth;
                  for (std::size_t r = 0; r < d; ++r) {
                    const std::size_t at =
                        packing == Packing::kDataInner ? from_end * d + r : r * depth + from_end;
                    plan.stages[q].blocks.push_back(part(order, at * block, block));
                  }
                }
                set_degrees(problem, plan);
                const PlanScore score = best_recompute(problem, plan);
                best = score.fits ? std::min(best, score.seconds_per_batch) : best;
              }
            }
          });
        }
      }
    }
  }
  return best;
}

// Least time over stages of any of the configurations and number of replicas, data-inner, that are
// not all alike.
inline double exhaustive_mixed(const StrategyProblem& problem,
                               const std::vector<std::uint32_t>& configurations,
                               std::uint32_t zero) {
  double best = INFINITY;
  const std::size_t n = problem.layers.size();
  const std::size_t devices = problem.network.num_devices();
  for (std::size_t stages = 1; stages <= std::min(n, devices); ++stages) {
    std::vector<Slot> slots(stages);
    const std::function<void(std::size_t, std::size_t)> choose = [&](std::size_t q,
                                                                     std::size_t left) {
      if (q < stages) {
        for (const std::uint32_t index : configurations) {
          const StrategyConfiguration& c = problem.configurations[index];
          for (std::size_t d = 1; d * c.block() <= left && d <= c.micro_batches; ++d) {
            slots[q] = {index, d};
            choose(q + 1, left - d * c.block());
          }
        }
        return;
      }
      const bool alike = std::ranges::all_of(slots, [&](const Slot& slot) {
        return slot.configuration == slots[0].configuration && slot.data == slots[0].data;
      });
      if (alike) {
        return;
      }
      for_each_cut(n, stages, [&](const std::vector<std::size_t>& sizes) {
        if (hopeless(problem, sizes, slots, best)) {
          return;
        }
        ParallelPlan plan = plan_of(sizes, problem, slots);
        plan.zero_stage = zero;
        plan.packing = Packing::kDataInner;
        for (const auto& [classes, order] : all_orders(problem)) {
          plan.class_order = classes;
          std::size_t used = 0;
          for (std::size_t u = stages; u-- > 0;) {
            PlanStage& stage = plan.stages[u];
            stage.blocks.clear();
            for (std::size_t r = 0; r < slots[u].data; ++r, used += stage.devices) {
              stage.blocks.push_back(part(order, used, stage.devices));
            }
          }
          set_degrees(problem, plan);
          const PlanScore score = best_recompute(problem, plan);
          best = score.fits ? std::min(best, score.seconds_per_batch) : best;
        }
      });
    };
    choose(0, devices);
  }
  return best;
}

}  // namespace berth::testing
