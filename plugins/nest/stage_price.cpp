// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stage_price.hpp"

#include <algorithm>

namespace berth::nest {
namespace {

double micro_batches(const PipelineTask& task) {
  const std::size_t batch = task.problem->configurations[task.configuration].micro_batches;
  return static_cast<double>((batch + task.layout.data - 1) / task.layout.data);
}

}  // namespace

StagePrice::StagePrice(const PipelineTask& task,
                       const SearchSettings& settings,
                       std::size_t position,
                       std::size_t first_layer)
    : task_(task),
      settings_(settings),
      where_((*task.positions)[position]),
      configuration_(task.problem->configurations[task.configuration]),
      position_(position),
      begin_(first_layer),
      end_(first_layer),
      in_flight_(std::min(static_cast<double>(position), micro_batches(task))) {}

void StagePrice::extend() {
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    work_[r] = std::max(work_[r], task_.sums->work(r, end_));
  }
  largest_parameters_ = std::max(
      largest_parameters_, task_.sums->dense(end_, end_ + 1) + task_.sums->expert(end_, end_ + 1));
  ++end_;
}

bool StagePrice::allowed(std::size_t recompute) const {
  if (settings_.pins.recompute) {
    return recompute == static_cast<std::size_t>(*settings_.pins.recompute);
  }
  return recompute == 0 || task_.problem->recompute_allowed;
}

double StagePrice::dense() const {
  const bool whole = begin_ == 0 && end_ == task_.sums->layers();
  // A matrix that both ends share is held once where both ends are on one stage.
  return task_.sums->dense(begin_, end_) - (whole ? configuration_.tied_parameters : 0.0);
}

StageMemory StagePrice::memory(std::size_t recompute) const {
  const MemoryRules& rules = task_.problem->memory;
  const double dense_ranks =
      static_cast<double>(task_.layout.data) * configuration_.context * configuration_.expert;
  const double expert_ranks = static_cast<double>(task_.layout.data) * configuration_.context;
  const double whole = dense() + task_.sums->expert(begin_, end_);
  const double shard = dense() / dense_ranks + task_.sums->expert(begin_, end_) / expert_ranks;
  StageMemory memory;
  memory.weights = rules.weight_bytes * (task_.zero >= 3 ? shard : whole);
  memory.gradients = rules.gradient_bytes * (task_.zero >= 2 ? shard : whole);
  memory.optimizer = rules.optimizer_bytes * (task_.zero >= 1 ? shard : whole);
  memory.stash = in_flight_ * task_.sums->saved(recompute, begin_, end_);
  memory.work =
      work_[recompute] + (task_.zero >= 3 ? 2.0 * rules.weight_bytes * largest_parameters_ : 0.0);
  memory.reserve = rules.reserve_bytes;
  return memory;
}

StageTime StagePrice::time(std::size_t recompute) const {
  const MemoryRules& rules = task_.problem->memory;
  const ChainSums& sums = *task_.sums;
  const double visible = 1.0 - settings_.overlap_gradient;
  const double dense_weights = rules.weight_bytes * dense();
  const double dense_gradients = rules.gradient_bytes * dense();
  const double experts = sums.expert(begin_, end_);
  const double expert_weights = rules.weight_bytes * experts;
  const double expert_gradients = rules.gradient_bytes * experts;
  const double scatter = where_.dense_scatter.seconds(dense_gradients) +
                         (experts > 0 ? where_.expert_scatter.seconds(expert_gradients) : 0.0);
  const double gather = where_.dense_gather.seconds(dense_weights) +
                        (experts > 0 ? where_.expert_gather.seconds(expert_weights) : 0.0);

  // A block of several classes runs at the speed of the slowest.
  std::size_t slowest = where_.classes.front();
  double most = -1.0;
  for (const std::uint32_t c : where_.classes) {
    const double busy = sums.forward(c, begin_, end_) + sums.backward(c, begin_, end_) +
                        sums.again(c, recompute, begin_, end_);
    if (busy > most) {
      most = busy;
      slowest = c;
    }
  }
  StageTime time;
  time.forward = sums.forward(slowest, begin_, end_);
  time.backward = sums.backward(slowest, begin_, end_);
  time.recompute = sums.again(slowest, recompute, begin_, end_);
  double transfer = 0.0;
  if (position_ < task_.layout.stages) {
    const double bytes = configuration_.edges[begin_ - 1].size_bytes;
    transfer += where_.in.seconds + bytes * where_.in.seconds_per_byte;
  }
  if (position_ > 1) {
    const double bytes = configuration_.edges[end_ - 1].size_bytes;
    transfer += where_.out.seconds + bytes * where_.out.seconds_per_byte;
  }
  time.transfer = (1.0 - settings_.overlap_transfer) * transfer;
  switch (task_.zero) {
    case 0:
      time.sync = where_.dense_reduce.seconds(dense_gradients) +
                  (experts > 0 ? where_.expert_reduce.seconds(expert_gradients) : 0.0);
      break;
    case 1:
      time.sync = scatter + gather;
      break;
    case 2:
      time.sync = gather;
      time.zero = visible * scatter;
      break;
    default:
      time.zero = visible * ((recompute == 2 ? 3.0 : 2.0) * gather + scatter);
      break;
  }
  time.sync *= visible;
  const double bandwidth = task_.problem->classes[slowest].memory_bytes_per_second;
  if (bandwidth > 0.0) {
    const double touched = 2.0 * rules.optimizer_bytes + rules.gradient_bytes + rules.weight_bytes;
    const double dense_ranks =
        static_cast<double>(task_.layout.data) * configuration_.context * configuration_.expert;
    const double expert_ranks = static_cast<double>(task_.layout.data) * configuration_.context;
    const double own =
        task_.zero >= 1 ? dense() / dense_ranks + experts / expert_ranks : dense() + experts;
    time.step = touched * own / bandwidth;
  }
  return time;
}

std::optional<PlanStage> StagePrice::best() const {
  std::optional<PlanStage> found;
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    if (!allowed(r)) {
      continue;
    }
    const StageMemory bytes = memory(r);
    if (bytes.total() > where_.memory_bytes) {
      continue;
    }
    const StageTime seconds = time(r);
    if (!found || seconds.load() < found->time.load()) {
      PlanStage stage;
      stage.first_layer = static_cast<std::uint32_t>(begin_);
      stage.num_layers = static_cast<std::uint32_t>(end_ - begin_);
      stage.devices = static_cast<std::uint32_t>(task_.layout.block);
      stage.recompute = static_cast<Recompute>(r);
      stage.time = seconds;
      stage.memory = bytes;
      found = stage;
    }
    if (r == 0) {
      break;  // nothing is cheaper than computing once
    }
  }
  return found;
}

}  // namespace berth::nest
