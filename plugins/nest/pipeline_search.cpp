// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline_search.hpp"

#include <algorithm>
#include <cmath>

namespace berth::nest {
namespace {

// A way to cut the suffix from some layer into s stages.
struct Label {
  double slowest = 0.0;
  double sum = 0.0;
  double exposed = 0.0;    // gradient time after the last backward pass of the whole pipeline
  std::uint32_t rest = 0;  // label of the rest
  std::uint16_t next = 0;  // first layer of the following stage
};

bool dominates(const Label& a, const Label& b) {
  return a.slowest <= b.slowest && a.sum <= b.sum && a.exposed <= b.exposed;
}

class PipelineSearch {
 public:
  // Plans that take less than `bound`, of stages that compute at most `longest`.
  PipelineSearch(const PipelineTask& task,
                 const SearchSettings& settings,
                 double bound,
                 double longest)
      : task_(task),
        settings_(settings),
        bound_(bound),
        longest_(longest),
        n_(task.sums->layers()),
        stages_(task.layout.stages),
        waves_(static_cast<double>(task.waves())),
        tied_(task.tied_seconds(settings)) {}

  std::optional<ParallelPlan> run() {
    arena_.push_back({});
    cells_.assign((stages_ + 1) * (n_ + 1), {0, 0});
    cells_[n_] = {0, 1};
    const double most = longest_stage();
    for (std::size_t s = 1; s <= stages_; ++s) {
      const std::size_t first = s == stages_ ? 0 : stages_ - s;
      const std::size_t last = s == stages_ ? 0 : n_ - s;
      for (std::size_t i = first; i <= last; ++i) {
        // Either side must be able to take its layers.
        if (task_.sums->least(0, i) <= static_cast<double>(stages_ - s) * most &&
            task_.sums->least(i, n_) <= static_cast<double>(s) * most) {
          fill(s, i);
        }
      }
    }
    return best();
  }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  [[nodiscard]] double total(const Label& label) const {
    return label.sum + (waves_ - 1.0) * label.slowest + label.exposed + tied_;
  }

  // What a label costs at least once the layers before `i` are added in `more` stages.
  [[nodiscard]] double at_least(const Label& label, std::size_t i, std::size_t more) const {
    const double rest = task_.sums->least(0, i);
    const double slowest =
        more == 0 ? label.slowest : std::max(label.slowest, rest / static_cast<double>(more));
    return label.sum + rest + (waves_ - 1.0) * slowest + tied_;
  }

  void fill(std::size_t s, std::size_t i) {
    front_.clear();
    StagePrice price(task_.site(s), settings_, i);
    const std::size_t last = n_ - (s - 1);
    while (price.end() < last) {
      price.extend();
      const std::size_t j = price.end();
      if (s == 1 && j < n_) {
        continue;
      }
      if (pruned(i, j)) {
        break;
      }
      const Range rests = cells_[(s - 1) * (n_ + 1) + j];
      if (rests.begin == rests.end) {
        continue;
      }
      const std::optional<PlanStage> stage = price.best();
      if (!stage) {
        break;  // memory only grows with the stage
      }
      for (std::uint32_t r = rests.begin; r < rests.end; ++r) {
        insert(join(arena_[r], stage->time, r, i, j), i, stages_ - s);
      }
    }
    Range& cell = cells_[s * (n_ + 1) + i];
    cell.begin = static_cast<std::uint32_t>(arena_.size());
    arena_.insert(arena_.end(), front_.begin(), front_.end());
    cell.end = static_cast<std::uint32_t>(arena_.size());
  }

  // Seconds of compute of one stage from which on it alone makes the batch too slow.
  [[nodiscard]] double longest_stage() const {
    return waves_ > 1.0
               ? std::min(longest_,
                          (bound_ - task_.sums->least(0, n_)) / (waves_ - 1.0) * (1.0 + 1e-9))
               : longest_;
  }
  [[nodiscard]] bool pruned(std::size_t i, std::size_t j) const {
    const double own = task_.sums->least(i, j);
    return own > longest_ || task_.sums->least(0, n_) + (waves_ - 1.0) * own >= bound_;
  }

  [[nodiscard]] Label join(const Label& rest,
                           const StageTime& time,
                           std::uint32_t r,
                           std::size_t i,
                           std::size_t j) const {
    Label label;
    label.slowest = std::max(rest.slowest, time.load());
    label.sum = rest.sum + time.load();
    // Later stages end their last backward pass earlier, by this stage's. What the backward passes
    // of the layers before hide in any case is not told apart: the fronts stay small.
    label.exposed = std::max({time.sync + time.step,
                              rest.exposed - (time.backward + time.recompute),
                              task_.sums->least_backward(i)});
    label.rest = r;
    label.next = static_cast<std::uint16_t>(j);
    return label;
  }

  void insert(const Label& fresh, std::size_t i, std::size_t more) {
    if (at_least(fresh, i, more) >= bound_) {
      return;
    }
    for (const Label& label : front_) {
      if (dominates(label, fresh)) {
        return;
      }
    }
    std::erase_if(front_, [&](const Label& label) { return dominates(fresh, label); });
    front_.push_back(fresh);
  }

  std::optional<ParallelPlan> best() {
    const Range whole = cells_[stages_ * (n_ + 1)];
    const Label* winner = nullptr;
    for (std::uint32_t k = whole.begin; k < whole.end; ++k) {
      if (total(arena_[k]) < (winner == nullptr ? bound_ : total(*winner))) {
        winner = &arena_[k];
      }
    }
    if (winner == nullptr) {
      return std::nullopt;
    }
    ParallelPlan plan;
    plan.seconds_per_batch = total(*winner);
    plan.pipeline_seconds = winner->sum + (waves_ - 1.0) * winner->slowest;
    plan.sync_seconds = winner->exposed + tied_;
    std::size_t i = 0;
    const Label* label = winner;
    for (std::size_t s = stages_; s > 0; --s) {
      StagePrice price(task_.site(s), settings_, i);
      while (price.end() < label->next) {
        price.extend();
      }
      plan.stages.push_back(*price.best());
      i = label->next;
      label = &arena_[label->rest];
    }
    return plan;
  }

  const PipelineTask& task_;
  const SearchSettings& settings_;
  double bound_;
  double longest_;
  std::size_t n_;
  std::size_t stages_;
  double waves_;  // micro-batches of a replica
  double tied_;
  std::vector<Label> arena_;
  std::vector<Label> front_;
  std::vector<Range> cells_;  // [position][first layer]
};

}  // namespace

StageSite PipelineTask::site(std::size_t position) const {
  const double in_flight = static_cast<double>(std::min(position, waves()));
  return {problem, &shape(), sums, &(*positions)[position], zero, layout.data, in_flight};
}

double PipelineTask::tied_seconds(const SearchSettings& settings) const {
  if (shape().tied_parameters == 0.0 || layout.stages < 2) {
    return 0.0;
  }
  return (1.0 - settings.overlap_gradient) *
         tied.seconds(problem->memory.gradient_bytes * shape().tied_parameters);
}

std::optional<ParallelPlan> search_pipeline(const PipelineTask& task,
                                            const SearchSettings& settings,
                                            double bound) {
  constexpr double kAnyLength = 1e300;  // finite: no stages times it is zero
  constexpr std::size_t kTwoPassChain = 200;
  constexpr double kNearBalance = 1.02;
  if (task.sums->layers() > kTwoPassChain && std::isinf(bound)) {
    // Nearly balanced cuts are few, and bound the search over all of them.
    const double longest =
        kNearBalance * task.sums->slowest_bound(task.layout.stages) + task.sums->heaviest_layer();
    const auto balanced = PipelineSearch(task, settings, bound, longest).run();
    bound = balanced ? balanced->seconds_per_batch * (1.0 + 1e-9) : bound;
  }
  return PipelineSearch(task, settings, bound, kAnyLength).run();
}

}  // namespace berth::nest
