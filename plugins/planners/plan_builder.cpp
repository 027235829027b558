// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace berth::planners {
namespace {

bool is_uniform(const PlanChoice& choice) {
  return std::all_of(choice.stages.begin(), choice.stages.end(), [&](const StageChoice& stage) {
    return stage.configuration == choice.stages[0].configuration &&
           stage.replicas == choice.stages[0].replicas;
  });
}

void pack(const PlanChoice& choice, ParallelPlan& plan) {
  const std::size_t stages = plan.stages.size();
  const std::size_t data = choice.stages[0].replicas;
  for (std::size_t q = 0; q < stages; ++q) {
    const std::size_t position = stages - 1 - q;
    const std::size_t block = plan.stages[q].devices;
    for (std::size_t r = 0; r < data; ++r) {
      const std::size_t at =
          choice.packing == Packing::kPipelineInner ? r * stages + position : position * data + r;
      plan.stages[q].blocks.push_back(consecutive_block(at * block, block));
    }
  }
}

void pack_by_size(const PlanChoice& choice, ParallelPlan& plan) {
  std::vector<std::size_t> order(plan.stages.size());
  std::iota(order.rbegin(), order.rend(), 0);  // last stage first
  const auto size = [&](std::size_t q) {
    return std::size_t{plan.stages[q].devices} * choice.stages[q].replicas;
  };
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  std::size_t next = 0;
  for (const std::size_t q : order) {
    for (std::uint32_t r = 0; r < choice.stages[q].replicas; ++r) {
      plan.stages[q].blocks.push_back(consecutive_block(next, plan.stages[q].devices));
      next += plan.stages[q].devices;
    }
  }
}

std::string gigabytes(double bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

}  // namespace

std::size_t devices_of(const StrategyProblem& problem, const PlanChoice& choice) {
  std::size_t devices = 0;
  for (const StageChoice& stage : choice.stages) {
    devices += problem.configurations[stage.configuration].block() * stage.replicas;
  }
  return devices;
}

ParallelPlan build_plan(const StrategyProblem& problem, const PlanChoice& choice) {
  ParallelPlan plan;
  const StrategyConfiguration& first = problem.configurations[choice.stages[0].configuration];
  plan.configuration = choice.stages[0].configuration;
  plan.tensor = first.tensor;
  plan.context = first.context;
  plan.expert = first.expert;
  plan.sequence_parallel = first.sequence_parallel;
  plan.micro_batch = first.micro_batch;
  plan.data = choice.stages[0].replicas;
  plan.zero_stage = choice.zero;
  plan.packing = choice.packing;
  std::uint32_t next = 0;
  std::uint32_t fewest = plan.data;
  for (const StageChoice& stage : choice.stages) {
    PlanStage fresh;
    fresh.first_layer = next;
    fresh.num_layers = stage.num_layers;
    fresh.configuration = stage.configuration;
    fresh.devices = static_cast<std::uint32_t>(problem.configurations[stage.configuration].block());
    fresh.recompute = stage.recompute;
    plan.stages.push_back(std::move(fresh));
    next += stage.num_layers;
    fewest = std::min(fewest, stage.replicas);
  }
  plan.micro_batches = (first.micro_batches + fewest - 1) / fewest;
  if (is_uniform(choice)) {
    pack(choice, plan);
  } else {
    pack_by_size(choice, plan);
  }
  return plan;
}

PlanScore PlanBook::enter(const PlanChoice& choice) {
  if (devices_of(problem_, choice) > problem_.network.num_devices()) {
    PlanScore none;
    none.seconds_per_batch = INFINITY;
    none.fullest_share = INFINITY;
    return none;
  }
  ParallelPlan plan = build_plan(problem_, choice);
  PlanScore score = score_plan(problem_, plan, rules_);
  ++scored_;
  if (!score.fits) {
    if (best_.empty() && (nearest_.empty() || score.fullest_share < least_share_)) {
      least_share_ = score.fullest_share;
      const double need = score.memories[score.fullest_stage].total();
      nearest_ = std::to_string(choice.stages.size()) + " stages, " + std::to_string(plan.data) +
                 " replicas, tensor " + std::to_string(plan.tensor) + ": stage " +
                 std::to_string(score.fullest_stage + 1) + " needs " + gigabytes(need) + " of " +
                 gigabytes(need / score.fullest_share);
    }
    return score;
  }
  // Equal times are taken for the same plan, met again.
  const bool known = std::any_of(best_.begin(), best_.end(), [&](const ParallelPlan& other) {
    return other.seconds_per_batch == score.seconds_per_batch;
  });
  if (known || score.seconds_per_batch >= worst_seconds()) {
    return score;
  }
  plan.seconds_per_batch = score.seconds_per_batch;
  plan.pipeline_seconds = score.pipeline_seconds;
  plan.sync_seconds = score.sync_seconds;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    plan.stages[q].time = score.times[q];
    plan.stages[q].memory = score.memories[q];
  }
  plan.key = {score.seconds_per_batch, score.seconds_per_batch, 0, scored_};
  const auto at = std::upper_bound(
      best_.begin(), best_.end(), plan, [](const ParallelPlan& fresh, const ParallelPlan& old) {
        return fresh.seconds_per_batch < old.seconds_per_batch;
      });
  best_.insert(at, std::move(plan));
  if (best_.size() > top_k_) {
    best_.pop_back();
  }
  return score;
}

double PlanBook::best_seconds() const {
  return best_.empty() ? INFINITY : best_.front().seconds_per_batch;
}

double PlanBook::worst_seconds() const {
  return best_.size() < top_k_ ? INFINITY : best_.back().seconds_per_batch;
}

StrategyAnswer PlanBook::answer(const std::string& planner) && {
  StrategyAnswer answer;
  answer.candidates = scored_;
  answer.solved = scored_;
  if (best_.empty()) {
    answer.infeasible.push_back(
        nearest_.empty() ? planner + ": no plan it would make takes at most " +
                               std::to_string(problem_.network.num_devices()) + " devices"
                         : planner + ": memory: of " + std::to_string(scored_) +
                               " plans none fits; nearest: " + nearest_);
  }
  answer.plans = std::move(best_);
  return answer;
}

}  // namespace berth::planners
