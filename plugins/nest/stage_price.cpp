// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stage_price.hpp"

#include <algorithm>

namespace berth::nest {

StagePrice::StagePrice(const StageSite& site,
                       const SearchSettings& settings,
                       std::size_t first_layer)
    : site_(site), settings_(settings), begin_(first_layer), end_(first_layer) {}

void StagePrice::extend() {
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    work_[r] = std::max(work_[r], site_.sums->work(r, end_));
  }
  largest_parameters_ = std::max(
      largest_parameters_, site_.sums->dense(end_, end_ + 1) + site_.sums->expert(end_, end_ + 1));
  ++end_;
}

bool StagePrice::allowed(std::size_t recompute) const {
  if (settings_.pins.recompute) {
    return recompute == static_cast<std::size_t>(*settings_.pins.recompute);
  }
  return recompute == 0 || site_.problem->recompute_allowed;
}

double StagePrice::dense() const {
  const bool whole = begin_ == 0 && end_ == site_.sums->layers();
  // A matrix that both ends share is held once where both ends are on one stage.
  return site_.sums->dense(begin_, end_) - (whole ? site_.configuration->tied_parameters : 0.0);
}

double StagePrice::shard() const {
  const double expert_ranks = static_cast<double>(site_.data) * site_.configuration->context;
  return dense() / (expert_ranks * site_.configuration->expert) +
         site_.sums->expert(begin_, end_) / expert_ranks;
}

StageMemory StagePrice::memory(std::size_t recompute) const {
  const MemoryRules& rules = site_.problem->memory;
  const double whole = dense() + site_.sums->expert(begin_, end_);
  const double kept = site_.zero > 0 ? shard() : whole;
  StageMemory memory;
  memory.weights = rules.weight_bytes * (site_.zero >= 3 ? kept : whole);
  memory.gradients = rules.gradient_bytes * (site_.zero >= 2 ? kept : whole);
  memory.optimizer = rules.optimizer_bytes * kept;
  memory.stash = site_.in_flight * site_.sums->saved(recompute, begin_, end_);
  memory.work =
      work_[recompute] + (site_.zero >= 3 ? 2.0 * rules.weight_bytes * largest_parameters_ : 0.0);
  memory.reserve = rules.reserve_bytes;
  return memory;
}

// A block of several classes runs at the speed of the slowest.
std::size_t StagePrice::slowest_class(std::size_t recompute) const {
  std::size_t slowest = site_.where->classes.front();
  double most = -1.0;
  for (const std::uint32_t c : site_.where->classes) {
    const double busy = site_.sums->forward(c, begin_, end_) +
                        site_.sums->backward(c, begin_, end_) +
                        site_.sums->again(c, recompute, begin_, end_);
    if (busy > most) {
      most = busy;
      slowest = c;
    }
  }
  return slowest;
}

void StagePrice::add_gradients(std::size_t recompute, StageTime& time) const {
  const MemoryRules& rules = site_.problem->memory;
  const Position& where = *site_.where;
  const double experts = site_.sums->expert(begin_, end_);
  const double dense_gradients = rules.gradient_bytes * dense();
  const double expert_gradients = rules.gradient_bytes * experts;
  const double visible = 1.0 - settings_.overlap_gradient;
  if (site_.zero == 0) {
    time.sync = visible * (where.dense_reduce.seconds(dense_gradients) +
                           (experts > 0 ? where.expert_reduce.seconds(expert_gradients) : 0.0));
    return;
  }
  const double scatter = where.dense_scatter.seconds(dense_gradients) +
                         (experts > 0 ? where.expert_scatter.seconds(expert_gradients) : 0.0);
  const double gather =
      where.dense_gather.seconds(rules.weight_bytes * dense()) +
      (experts > 0 ? where.expert_gather.seconds(rules.weight_bytes * experts) : 0.0);
  if (site_.zero == 1) {
    time.sync = visible * (scatter + gather);
  } else if (site_.zero == 2) {
    time.sync = visible * gather;
    time.zero = visible * scatter;
  } else {
    time.zero = visible * ((recompute == 2 ? 3.0 : 2.0) * gather + scatter);
  }
}

StageTime StagePrice::time(std::size_t recompute) const {
  const Position& where = *site_.where;
  const std::size_t slowest = slowest_class(recompute);
  StageTime time;
  time.forward = site_.sums->forward(slowest, begin_, end_);
  time.backward = site_.sums->backward(slowest, begin_, end_);
  time.recompute = site_.sums->again(slowest, recompute, begin_, end_);
  double transfer = 0.0;
  if (begin_ > 0) {
    transfer += where.in.seconds +
                site_.configuration->edges[begin_ - 1].size_bytes * where.in.seconds_per_byte;
  }
  if (end_ < site_.sums->layers()) {
    transfer += where.out.seconds +
                site_.configuration->edges[end_ - 1].size_bytes * where.out.seconds_per_byte;
  }
  time.transfer = (1.0 - settings_.overlap_transfer) * transfer;
  add_gradients(recompute, time);
  const double bandwidth = site_.problem->classes[slowest].memory_bytes_per_second;
  if (bandwidth > 0.0) {
    const MemoryRules& rules = site_.problem->memory;
    const double touched = 2.0 * rules.optimizer_bytes + rules.gradient_bytes + rules.weight_bytes;
    const double own = site_.zero >= 1 ? shard() : dense() + site_.sums->expert(begin_, end_);
    time.step = touched * own / bandwidth;
  }
  return time;
}

PlanStage StagePrice::stage(std::size_t recompute) const {
  PlanStage stage;
  stage.first_layer = static_cast<std::uint32_t>(begin_);
  stage.num_layers = static_cast<std::uint32_t>(end_ - begin_);
  stage.devices = static_cast<std::uint32_t>(site_.configuration->block());
  stage.recompute = static_cast<Recompute>(recompute);
  stage.time = time(recompute);
  stage.memory = memory(recompute);
  return stage;
}

std::optional<PlanStage> StagePrice::best(double limit) const {
  std::optional<PlanStage> found;
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    if (!allowed(r) || memory(r).total() > limit) {
      continue;
    }
    PlanStage fresh = stage(r);
    if (!found || fresh.time.load() < found->time.load()) {
      found = std::move(fresh);
    }
    if (r == 0) {
      break;  // nothing is cheaper than computing once
    }
  }
  return found;
}

}  // namespace berth::nest
