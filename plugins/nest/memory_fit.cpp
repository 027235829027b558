// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "memory_fit.hpp"

#include <algorithm>
#include <cmath>

namespace berth::nest {
namespace {

// The recomputation that needs least.
std::size_t leanest(const StagePrice& price) {
  std::size_t best = kRecomputeChoices;
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    if (price.allowed(r) &&
        (best == kRecomputeChoices || price.memory(r).total() < price.memory(best).total())) {
      best = r;
    }
  }
  return best;
}

}  // namespace

MemoryFit fit_memory(const PipelineTask& task, const SearchSettings& settings, double below) {
  const std::size_t n = task.sums->layers();
  const std::size_t stages = task.layout.stages;
  std::vector<double> after(n + 1, INFINITY);
  after[n] = 0.0;
  std::vector<std::vector<std::size_t>> next(stages + 1, std::vector<std::size_t>(n + 1, n));
  for (std::size_t s = 1; s <= stages; ++s) {
    std::vector<double> here(n + 1, INFINITY);
    const std::size_t last = n - std::min(n, s);  // s layers at least are left for s stages
    const double there = (*task.positions)[s].memory_bytes;
    for (std::size_t i = s == stages ? 0 : std::min(stages - s, n); i <= (s == stages ? 0 : last);
         ++i) {
      StagePrice price(task.site(s), settings, i);
      while (price.end() < n) {
        price.extend();
        const double share = price.memory(leanest(price)).total() / there;
        if (share >= std::min(here[i], below)) {
          break;  // memory only grows with the stage
        }
        if (std::isinf(after[price.end()])) {
          continue;
        }
        const double fullest = std::max(share, after[price.end()]);
        if (fullest < here[i]) {
          here[i] = fullest;
          next[s][i] = price.end();
        }
      }
    }
    after = std::move(here);
  }
  MemoryFit fit{after[0], {}};
  for (std::size_t s = stages, i = 0; s > 0 && !std::isinf(fit.share); --s) {
    StagePrice price(task.site(s), settings, i);
    while (price.end() < next[s][i]) {
      price.extend();
    }
    fit.stages.push_back(price.stage(leanest(price)));
    i = price.end();
  }
  return fit;
}

bool states_fit(const StrategyProblem& problem) {
  double room = 0.0;
  for (std::size_t d = 0; d < problem.network.num_devices(); ++d) {
    room += problem.classes[problem.class_of(d)].memory_bytes - problem.memory.reserve_bytes;
  }
  const MemoryRules& rules = problem.memory;
  double least = 0.0;  // stages may differ in configuration
  double tied = 0.0;   // held once where both ends are one stage
  for (std::size_t v = 0; v < problem.layers.size(); ++v) {
    double here = INFINITY;
    for (const StrategyConfiguration& c : problem.configurations) {
      const LayerCost& cost = problem.cost(c, 0, v);
      here = std::min(here, c.tensor * (cost.dense_parameters + c.expert * cost.expert_parameters));
      tied = std::max(tied, c.tensor * c.tied_parameters);
    }
    least += here;
  }
  least -= tied;
  const double bytes = rules.weight_bytes + rules.gradient_bytes + rules.optimizer_bytes;
  return least * bytes <= room * (1.0 + 1e-9);
}

bool fits_one_class(const PipelineTask& task, const SearchSettings& settings) {
  const std::size_t shards =
      task.layout.data * task.shape().context * std::size_t{task.shape().expert};
  Position everywhere;
  everywhere.memory_bytes = task.problem->classes[0].memory_bytes;
  everywhere.classes = {0};
  const std::vector<Position> positions(task.layout.stages + 1, everywhere);
  PipelineTask own = task;
  own.positions = &positions;
  for (own.zero = 0; own.zero <= (shards > 1 ? 3U : 0U); ++own.zero) {
    if ((!settings.pins.zero || *settings.pins.zero == own.zero) &&
        fit_memory(own, settings, 1.0 + 1e-9).share <= 1.0 + 1e-9) {
      return true;
    }
  }
  return false;
}

}  // namespace berth::nest
