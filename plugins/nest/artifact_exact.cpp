// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "artifact_search.hpp"

namespace berth::nest {
namespace {

// A way to cut the suffix from layer i into s stages. With kMax the sum stays 0.
struct SuffixLabel {
  double slowest = 0.0;
  double sum = 0.0;
  double weight_bytes = 0.0;  // of the first stage; only where the suffix is the whole chain
  std::uint32_t next = 0;     // first layer of the following stage
  std::uint32_t rest = 0;     // label of the rest in the cell (s - 1, next)
};

bool dominates(const SuffixLabel& a, const SuffixLabel& b) {
  return a.slowest <= b.slowest && a.sum <= b.sum && a.weight_bytes <= b.weight_bytes;
}

void insert(std::vector<SuffixLabel>& front, const SuffixLabel& fresh) {
  for (const SuffixLabel& label : front) {
    if (dominates(label, fresh)) {
      return;
    }
  }
  std::erase_if(front, [&](const SuffixLabel& label) { return dominates(fresh, label); });
  front.push_back(fresh);
}

// Positions count from the last stage: with blocks of one size, position s holds the s-th block,
// so the level of every link follows from s and needs no state (spec 5.1).
class ExactSearch {
 public:
  ExactSearch(const StrategyProblem& problem,
              const StrategyConfiguration& configuration,
              const ArtifactStages& stages,
              bool sum)
      : problem_(problem),
        stages_(stages),
        n_(stages.num_layers()),
        block_(configuration.block()),
        batch_(configuration.micro_batches),
        sum_(sum),
        deepest_(std::min(n_, problem.network.num_devices() / block_)),
        cells_((deepest_ + 1) * (n_ + 1)) {}

  std::optional<ChainPlan> run() {
    if (deepest_ == 0) {
      return std::nullopt;
    }
    cell(0, n_).push_back({});
    for (std::size_t s = 1; s <= deepest_; ++s) {
      for (std::size_t i = n_; i-- > 0;) {
        extend(s, i);
      }
    }
    return best();
  }

 private:
  std::vector<SuffixLabel>& cell(std::size_t s, std::size_t i) { return cells_[s * (n_ + 1) + i]; }

  // Level of the link between positions s and s + 1.
  [[nodiscard]] std::size_t level(std::size_t s) const {
    return problem_.network.level_between((s - 1) * block_, s * block_);
  }

  void extend(std::size_t s, std::size_t i) {
    if (i > 0 && s == deepest_) {
      return;  // nobody could feed it
    }
    const std::size_t in = i > 0 ? level(s) : 0;
    const std::size_t out = s > 1 ? level(s - 1) : 0;
    const std::size_t most = std::min(problem_.network.num_devices(), n_);
    std::vector<SuffixLabel>& front = cell(s, i);
    for (std::size_t j = i + 1; j <= n_; ++j) {
      const std::vector<SuffixLabel>& rests = cell(s - 1, j);
      if (rests.empty()) {
        continue;
      }
      if (stages_.deepest_position(i, j, stages_.fixed_bytes(i, j), most) < s) {
        continue;
      }
      const double load = stages_.load(i, j, in, out, s);
      for (std::size_t r = 0; r < rests.size(); ++r) {
        insert(front,
               {std::max(rests[r].slowest, load),
                sum_ ? rests[r].sum + load : 0.0,
                i == 0 ? stages_.weight_bytes(0, j) : 0.0,
                static_cast<std::uint32_t>(j),
                static_cast<std::uint32_t>(r)});
      }
    }
  }

  [[nodiscard]] double pipeline(const SuffixLabel& label, double b, double s) const {
    return sum_ ? label.sum + (b - 1.0) * label.slowest : label.slowest * (b + s - 1.0);
  }

  std::optional<ChainPlan> best() {
    const std::size_t devices = problem_.network.num_devices();
    double least = INFINITY;
    double least_sync = 0.0;
    std::size_t best_s = 0;
    std::size_t best_d = 0;
    std::size_t best_label = 0;
    for (std::size_t s = 1; s <= deepest_; ++s) {
      const std::vector<SuffixLabel>& front = cell(s, 0);
      for (std::size_t d = 1; d <= std::min(batch_, devices / (block_ * s)); ++d) {
        const auto b = static_cast<double>((batch_ + d - 1) / d);
        for (std::size_t k = 0; k < front.size(); ++k) {
          const double busy = pipeline(front[k], b, static_cast<double>(s));
          if (busy >= least) {
            continue;
          }
          const double sync =
              stages_.all_reduce(problem_.network, front[k].weight_bytes, d, block_ * s);
          if (busy + sync < least) {
            least = busy + sync;
            least_sync = sync;
            best_s = s;
            best_d = d;
            best_label = k;
          }
        }
      }
    }
    if (best_s == 0) {
      return std::nullopt;
    }
    ChainPlan plan{{}, best_d, (batch_ + best_d - 1) / best_d, least_sync, least};
    std::size_t i = 0;
    for (std::size_t s = best_s; s > 0; --s) {
      const SuffixLabel& label = cell(s, i)[best_label];
      const std::size_t in = s < best_s ? level(s) : 0;
      const std::size_t out = s > 1 ? level(s - 1) : 0;
      plan.stages.push_back({i,
                             label.next,
                             block_,
                             stages_.load(i, label.next, in, out, s),
                             stages_.fixed_bytes(i, label.next)});
      i = label.next;
      best_label = label.rest;
    }
    return plan;
  }

  const StrategyProblem& problem_;
  const ArtifactStages& stages_;
  std::size_t n_;
  std::size_t block_;
  std::size_t batch_;
  bool sum_;
  std::size_t deepest_;
  std::vector<std::vector<SuffixLabel>> cells_;  // [s][first layer]
};

}  // namespace

std::optional<ChainPlan> search_exact(const StrategyProblem& problem,
                                      const StrategyConfiguration& configuration,
                                      const ArtifactStages& stages,
                                      const ArtifactOptions& options) {
  return ExactSearch(problem, configuration, stages, options.fill == ArtifactOptions::Fill::kSum)
      .run();
}

}  // namespace berth::nest
