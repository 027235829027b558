// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "berth/plan_score.hpp"

#include "plugins/nest/mixed_search.hpp"
#include "plugins/nest/outer_search.hpp"
#include "random_problem.hpp"

// The default mode against every plan there is, each scored from its device lists by the kernel,
// which shares neither prices nor cuts with the planner.
namespace berth {
namespace {

using nest::SearchSettings;
using testing::all_orders;
using testing::random_problem;

// Configuration, replicas and chunk of a stage that a plan is being built of.
struct Slot {
  std::uint32_t configuration = 0;
  std::size_t data = 1;
};

// Calls `use` with the sizes of every cut of n layers into `stages`.
void for_each_cut(std::size_t n,
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
PlanScore best_recompute(const StrategyProblem& problem, ParallelPlan& plan) {
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

void set_degrees(const StrategyProblem& problem, ParallelPlan& plan) {
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
ParallelPlan plan_of(const std::vector<std::size_t>& sizes,
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

std::vector<std::uint32_t> part(const std::vector<std::uint32_t>& order,
                                std::size_t first,
                                std::size_t count) {
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// Least time over equal stages: every cut, degree, packing, order and number of chunks.
double exhaustive_uniform(const StrategyProblem& problem, std::uint32_t zero, bool interleaved) {
  double best = INFINITY;
  const std::size_t n = problem.layers.size();
  const std::size_t devices = problem.network.num_devices();
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    const std::size_t block = c.block();
    for (std::size_t depth = interleaved ? 2 : 1; depth <= n && depth * block <= devices; ++depth) {
      for (std::size_t d = 1; d * depth * block <= devices && d <= c.micro_batches; ++d) {
        for (std::size_t v = interleaved ? 2 : 1; v * depth <= n && v <= (interleaved ? n : 1);
             ++v) {
          if ((v > 1 && c.micro_batches % (d * depth) != 0) ||
              (zero > 0 && d * c.context * c.expert == 1)) {
            continue;
          }
          for_each_cut(n, v * depth, [&](const std::vector<std::size_t>& sizes) {
            ParallelPlan plan =
                plan_of(sizes, problem, std::vector<Slot>(sizes.size(), {index, d}));
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

// Least time in closed form over stages of any configuration and number of replicas, data-inner.
double exhaustive_mixed(const StrategyProblem& problem,
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
      for_each_cut(n, stages, [&](const std::vector<std::size_t>& sizes) {
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
          best = score.fits ? std::min(best, score.closed_seconds) : best;
        }
      });
    };
    choose(0, devices);
  }
  return best;
}

// Times per batch within rounding, infeasible where the other is.
void expect_same(const StrategyAnswer& answer, double expected, std::uint64_t seed) {
  ASSERT_EQ(answer.plans.empty(), std::isinf(expected)) << "seed " << seed;
  if (!answer.plans.empty()) {
    ASSERT_NEAR(answer.plans[0].seconds_per_batch, expected, 1e-9 * expected) << "seed " << seed;
  }
}

TEST(NestExhaustive, EqualStagesOnUnequalGroupsAnyDeviceCountAndEveryZeroStage) {
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, {5});
    const std::size_t devices = std::vector<std::size_t>{1, 3, 6, 7, 8, 12, 16}[rng.below(7)];
    const std::size_t most = devices > 8 ? 4 : seed % 20 == 0 ? 8 : 5;
    const StrategyProblem problem = random_problem(1000 + seed, 1 + rng.below(most), devices);
    const auto zero = static_cast<std::uint32_t>(rng.below(4));
    SearchSettings settings;
    settings.pins = nest::parse_pins("vpp=1,mixed=false,zero=" + std::to_string(zero));

    const StrategyAnswer answer = nest::plan_default(problem, settings, 1);

    expect_same(answer, exhaustive_uniform(problem, zero, false), seed);
    infeasible += answer.plans.empty() ? 1 : 0;
  }
  EXPECT_GT(infeasible, 5);
  EXPECT_LT(infeasible, 120);
}

TEST(NestExhaustive, InterleavedPlansOfUpToEightLayersAndDevices) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Rng rng(seed, {6});
    const std::size_t devices = std::vector<std::size_t>{2, 3, 6, 7, 8}[rng.below(5)];
    StrategyProblem problem = random_problem(2000 + seed, 4 + rng.below(5), devices);
    for (StrategyConfiguration& c : problem.configurations) {
      c.micro_batches = 12;  // divides by many depths
    }
    for (DeviceClass& device_class : problem.classes) {
      device_class.memory_bytes *= 1.5;
    }
    const auto zero = static_cast<std::uint32_t>(rng.below(2));
    SearchSettings settings;
    settings.pins = nest::parse_pins("mixed=false,zero=" + std::to_string(zero));
    settings.pins.chunks = seed % 2 == 0 ? std::optional<std::uint32_t>(2) : std::nullopt;

    const StrategyAnswer answer = nest::plan_default(problem, settings, 1);

    double expected = exhaustive_uniform(problem, zero, true);
    if (!settings.pins.chunks) {
      expected = std::min(expected, exhaustive_uniform(problem, zero, false));
    } else if (problem.layers.size() >= 6) {
      continue;  // more than two chunks were counted
    }
    expect_same(answer, expected, seed);
    found += !answer.plans.empty() && answer.plans[0].chunks > 1 ? 1 : 0;
  }
  EXPECT_GT(found, 5) << "interleaving never paid";
}

TEST(NestExhaustive, StagesOfUnequalTensorWidthAndReplicas) {
  int mixed = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed, {7});
    const std::size_t devices = 2 + rng.below(5);
    StrategyProblem problem = random_problem(3000 + seed, 2 + rng.below(3), devices);
    problem.configurations.resize(2);  // plain and tensor 2
    const auto batch = static_cast<std::uint32_t>(1 + rng.below(9));
    for (StrategyConfiguration& c : problem.configurations) {
      c.micro_batches = batch;
    }
    const auto zero = static_cast<std::uint32_t>(rng.below(4));
    nest::SearchSettings settings;
    settings.pins =
        nest::parse_pins("vpp=1,mixed=false,packing=data-inner,zero=" + std::to_string(zero));
    // A single replica shards nothing: the planner tries it without ZeRO alone.
    double equal = INFINITY;
    for (const std::uint32_t stage : {0U, zero}) {
      settings.pins.zero = stage;
      const StrategyAnswer uniform = nest::plan_default(problem, settings, 1);
      equal = uniform.plans.empty() ? equal : std::min(equal, uniform.plans[0].seconds_per_batch);
    }
    const Collectives collectives(problem.network);
    const nest::ChainSums plain(problem, problem.configurations[0]);
    const nest::ChainSums wide(problem, problem.configurations[1]);
    double unequal = INFINITY;
    for (const nest::DeviceOrder& order : nest::device_orders(problem)) {
      const nest::MixedTask task{&problem, &collectives, {0, 1}, {&plain, &wide}, zero, &order};
      const auto found = nest::search_mixed(task, settings, INFINITY);
      if (found) {
        unequal = std::min(unequal, found->plan.seconds_per_batch);
        ParallelPlan plan = found->plan;
        plan.zero_stage = zero;
        plan.packing = Packing::kDataInner;
        plan.class_order = order.classes;
        const PlanScore score = score_plan(problem, plan, {});
        EXPECT_TRUE(score.fits) << "seed " << seed;
        EXPECT_NEAR(score.closed_seconds, plan.seconds_per_batch, 1e-9 * score.closed_seconds)
            << "seed " << seed;
        EXPECT_NEAR(score.simulated_seconds - score.sync_seconds,
                    found->played_seconds,
                    1e-9 * score.closed_seconds)
            << "seed " << seed;
      }
    }
    mixed += unequal < equal * (1.0 - 1e-9) ? 1 : 0;
    const double least = std::min(equal, unequal);

    const double expected = std::min(equal, exhaustive_mixed(problem, {0, 1}, zero));

    ASSERT_EQ(std::isinf(least), std::isinf(expected)) << "seed " << seed;
    if (!std::isinf(expected)) {
      ASSERT_NEAR(least, expected, 1e-9 * expected) << "seed " << seed;
    }
  }
  EXPECT_GT(mixed, 20) << "unequal stages never paid";
}

}  // namespace
}  // namespace berth
