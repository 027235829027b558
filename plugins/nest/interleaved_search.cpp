// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "interleaved_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "berth/plan_score.hpp"

namespace berth::nest {
namespace {

// Counts micro-batches in flight while a device runs through its passes: the order is fixed, so
// memory does not depend on times.
class InFlight {
 public:
  InFlight(std::size_t depth, std::size_t chunks, std::size_t waves, std::size_t block)
      : depth_(depth), chunks_(chunks), most_(chunks, 0) {
    const std::size_t passes = waves * chunks;
    const std::size_t warm = std::min(passes, 2 * (depth - block - 1) + (chunks - 1) * depth);
    std::vector<std::size_t> live(chunks, 0);
    const auto start = [&](std::size_t k) {
      const std::size_t c = chunk_of(k);
      most_[c] = std::max(most_[c], ++live[c]);
      moments_.push_back(live);
    };
    for (std::size_t k = 0; k < warm; ++k) {
      start(k);
    }
    // Later rounds repeat what one round does.
    for (std::size_t k = warm; k < std::min(passes, warm + depth * chunks); ++k) {
      start(k);
      --live[chunks - 1 - chunk_of(k - warm)];
    }
  }

  [[nodiscard]] std::size_t most(std::size_t chunk) const { return most_[chunk]; }

  // Most bytes at once if a micro-batch keeps saved[c] bytes in chunk c.
  [[nodiscard]] double peak(const std::vector<double>& saved) const {
    double peak = 0.0;
    for (const std::vector<std::size_t>& live : moments_) {
      double bytes = 0.0;
      for (std::size_t c = 0; c < chunks_; ++c) {
        bytes += static_cast<double>(live[c]) * saved[c];
      }
      peak = std::max(peak, bytes);
    }
    return peak;
  }

 private:
  [[nodiscard]] std::size_t chunk_of(std::size_t k) const {
    return k % (depth_ * chunks_) / depth_;
  }

  std::size_t depth_;
  std::size_t chunks_;
  std::vector<std::size_t> most_;
  std::vector<std::vector<std::size_t>> moments_;
};

class InterleavedSearch {
 public:
  InterleavedSearch(const InterleavedTask& task, const SearchSettings& settings, double bound)
      : task_(task),
        settings_(settings),
        bound_(bound),
        n_(task.base.sums->layers()),
        depth_(task.base.layout.stages),
        stages_(depth_ * task.chunks),
        waves_(static_cast<double>(task.base.waves())),
        tied_(task.base.tied_seconds(settings)) {
    for (std::size_t block = 0; block < depth_; ++block) {
      in_flight_.emplace_back(depth_, task.chunks, task.base.waves(), block);
    }
    for (std::size_t q = 0; q < stages_; ++q) {
      Position where = (*task.base.positions)[depth_ - q % depth_];
      if (q % depth_ == 0) {
        where.in = task.wrap;
      }
      if (q % depth_ + 1 == depth_) {
        where.out = task.wrap;
      }
      positions_.push_back(std::move(where));
    }
  }

  std::optional<ParallelPlan> run() {
    std::vector<std::size_t> ends(stages_, n_);  // [stage] first layer of the next
    if (number_of_cuts() <= kMostCuts) {
      enumerate(ends, 0);
    } else if (balance(ends)) {
      try_cuts(ends);
    }
    return std::move(best_);
  }

 private:
  // C(n - 1, stages - 1), or more than kMostCuts.
  [[nodiscard]] std::size_t number_of_cuts() const {
    std::size_t count = 1;
    for (std::size_t k = 1; k < stages_ && count <= kMostCuts; ++k) {
      count = count * (n_ - k) / k;
    }
    return count;
  }

  void enumerate(std::vector<std::size_t>& ends, std::size_t q) {
    if (q + 1 == stages_) {
      try_cuts(ends);
      return;
    }
    const std::size_t begin = q == 0 ? 0 : ends[q - 1];
    for (ends[q] = begin + 1; ends[q] + (stages_ - 1 - q) <= n_; ++ends[q]) {
      enumerate(ends, q + 1);
    }
    ends[q] = n_;
  }

  [[nodiscard]] StageSite site(std::size_t q) const {
    const PipelineTask& base = task_.base;
    const auto flying = static_cast<double>(in_flight_[q % depth_].most(q / depth_));
    return {base.problem,
            &base.shape(),
            base.sums,
            &positions_[q],
            base.zero,
            base.layout.data,
            flying};
  }

  // Least slowest stage over the cuts whose chunks fit in their part of the memory.
  bool balance(std::vector<std::size_t>& ends) const {
    const double reserve = task_.base.problem->memory.reserve_bytes;
    const ChainSums& sums = *task_.base.sums;
    const double balanced = sums.slowest_bound(stages_);
    const double most =
        std::min(kMostUneven * balanced, balanced + kMostLayersMore * sums.heaviest_layer());
    std::vector<double> after(n_ + 1, INFINITY);
    after[n_] = 0.0;
    std::vector<std::vector<std::size_t>> next(stages_, std::vector<std::size_t>(n_ + 1, 0));
    for (std::size_t q = stages_; q-- > 0;) {
      std::vector<double> here(n_ + 1, INFINITY);
      const double limit =
          (positions_[q].memory_bytes - reserve) / static_cast<double>(task_.chunks) + reserve;
      std::size_t from = 0;  // on long chains: a later stage ends no earlier than the one before
      for (std::size_t i = q; i <= (q == 0 ? 0 : n_ - (stages_ - q)); ++i) {
        if (sums.least(0, i) > static_cast<double>(q) * most ||
            sums.least(i, n_) > static_cast<double>(stages_ - q) * most) {
          continue;
        }
        StagePrice price(site(q), settings_, i);
        while (price.end() + (stages_ - 1 - q) < n_) {
          price.extend();
          const double busy = sums.least(i, price.end());
          if (busy > most || waves_ * busy >= bound_) {
            break;
          }
          if (after[price.end()] >= here[i] || price.end() < from) {
            continue;
          }
          const std::optional<PlanStage> stage = price.best(limit);
          if (!stage || stage->time.load() >= here[i]) {
            break;  // memory and time only grow with the stage
          }
          const double slowest = std::max(stage->time.load(), after[price.end()]);
          if (slowest < here[i]) {
            here[i] = slowest;
            next[q][i] = price.end();
          }
        }
        from = n_ > kLongChain && !std::isinf(here[i]) ? next[q][i] : 0;
      }
      after = std::move(here);
    }
    if (std::isinf(after[0])) {
      return false;
    }
    for (std::size_t q = 0, i = 0; q < stages_; ++q) {
      i = next[q][i];
      ends[q] = i;
    }
    return true;
  }

  // The cheapest recomputation of all chunks of a block that fits at every moment.
  bool choose(std::size_t block, std::vector<StagePrice>& prices, std::vector<PlanStage>& stages) {
    const double limit = positions_[block].memory_bytes;
    double least = INFINITY;
    for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
      if (!prices[block].allowed(r)) {
        continue;
      }
      double bytes = task_.base.problem->memory.reserve_bytes;
      double work = 0.0;
      double load = 0.0;
      std::vector<double> saved;
      for (std::size_t q = block; q < stages_; q += depth_) {
        const StageMemory memory = prices[q].memory(r);
        bytes += memory.weights + memory.gradients + memory.optimizer;
        work = std::max(work, memory.work);
        saved.push_back(memory.stash / static_cast<double>(in_flight_[block].most(q / depth_)));
        load += prices[q].time(r).load();
      }
      if (bytes + work + in_flight_[block].peak(saved) > limit || load >= least) {
        continue;
      }
      least = load;
      for (std::size_t q = block; q < stages_; q += depth_) {
        stages[q] = prices[q].stage(r);
        stages[q].memory.reserve = q < depth_ ? stages[q].memory.reserve : 0.0;
      }
    }
    return !std::isinf(least);
  }

  // No schedule is faster: a device is busy all the time but while the first chunks of the blocks
  // before it run.
  [[nodiscard]] double at_least(const std::vector<PlanStage>& stages) const {
    double least = 0.0;
    double before = 0.0;
    for (std::size_t block = 0; block < depth_; ++block) {
      double busy = 0.0;
      for (std::size_t q = block; q < stages_; q += depth_) {
        busy += stages[q].time.load() - stages[q].time.transfer;
      }
      least = std::max(least, before + waves_ * busy);
      before += stages[block].time.load() - stages[block].time.transfer;
    }
    return least * (1.0 - 1e-9);
  }

  [[nodiscard]] double played(const std::vector<PlanStage>& stages,
                              const std::vector<std::size_t>& ends) const {
    std::vector<PipelineStage> pipeline;
    for (std::size_t q = 0; q < stages_; ++q) {
      const StageTime& time = stages[q].time;
      double link = 0.0;
      if (q + 1 < stages_) {
        const AffineCost& out = positions_[q].out;
        link =
            (1.0 - settings_.overlap_transfer) *
            (out.seconds + task_.base.shape().edges[ends[q] - 1].size_bytes * out.seconds_per_byte);
      }
      pipeline.push_back({time.forward + 0.5 * time.zero,
                          time.backward + time.recompute + 0.5 * time.zero,
                          link,
                          1,
                          0.0});
    }
    return play_pipeline(pipeline, task_.base.waves(), task_.chunks).seconds;
  }

  [[nodiscard]] double exposed(const std::vector<PlanStage>& stages) const {
    double exposed = 0.0;
    double upstream = 0.0;
    for (std::size_t block = 0; block < depth_; ++block) {
      double own = 0.0;
      for (std::size_t q = block; q < stages_; q += depth_) {
        own += stages[q].time.sync + stages[q].time.step;
      }
      exposed = std::max(exposed, own - upstream);
      upstream += stages[block].time.backward + stages[block].time.recompute;
    }
    return exposed;
  }

  void try_cuts(const std::vector<std::size_t>& ends) {
    std::vector<StagePrice> prices;
    for (std::size_t q = 0; q < stages_; ++q) {
      StagePrice& price = prices.emplace_back(site(q), settings_, q == 0 ? 0 : ends[q - 1]);
      while (price.end() < ends[q]) {
        price.extend();
      }
    }
    std::vector<PlanStage> stages(stages_);
    for (std::size_t block = 0; block < depth_; ++block) {
      if (!choose(block, prices, stages)) {
        return;
      }
    }
    const double sync = exposed(stages) + tied_;
    if (at_least(stages) + sync >= bound_) {
      return;
    }
    const double pipeline = played(stages, ends);
    if (pipeline + sync >= bound_) {
      return;
    }
    bound_ = pipeline + sync;
    best_.emplace();
    best_->stages = std::move(stages);
    best_->chunks = static_cast<std::uint32_t>(task_.chunks);
    best_->pipeline_seconds = pipeline;
    best_->sync_seconds = sync;
    best_->seconds_per_batch = pipeline + sync;
  }

  const InterleavedTask& task_;
  const SearchSettings& settings_;
  double bound_;
  std::size_t n_;
  std::size_t depth_;
  std::size_t stages_;
  double waves_;
  double tied_;
  std::vector<InFlight> in_flight_;  // [block]
  std::vector<Position> positions_;  // [stage]
  std::optional<ParallelPlan> best_;
};

}  // namespace

std::optional<ParallelPlan> search_interleaved(const InterleavedTask& task,
                                               const SearchSettings& settings,
                                               double bound) {
  return InterleavedSearch(task, settings, bound).run();
}

}  // namespace berth::nest
