// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

#include "berth/evaluator.hpp"

namespace berth::baselines {

/// Simulations that are left of the evaluator's budget; the largest number where it has none.
[[nodiscard]] inline std::uint64_t simulations_left(const Evaluator& evaluator) {
  const std::uint64_t budget = evaluator.budget().simulations;
  return budget == 0 ? UINT64_MAX : budget - std::min(budget, evaluator.simulations());
}

/// How long a search goes on: until the evaluator is exhausted or the search has spent the
/// simulations of its own option, whichever comes first.
class SearchLimit {
 public:
  /// Simulations of a search that is given no limit at all.
  static constexpr std::uint64_t kDefaultSimulations = 100'000;

  /// @param simulations The policy's option; 0 means as the evaluator's budget says.
  SearchLimit(const Evaluator& evaluator, std::uint64_t simulations)
      : evaluator_(&evaluator), begin_seconds_(evaluator.elapsed_seconds()) {
    const SearchBudget& budget = evaluator.budget();
    begin_ = evaluator.simulations();
    const bool limited = simulations > 0 || budget.simulations > 0 || budget.seconds > 0.0;
    const std::uint64_t own = limited ? simulations : kDefaultSimulations;
    end_ = own > 0 ? begin_ + own : UINT64_MAX;
    if (budget.simulations > 0) {
      end_ = std::min(end_, budget.simulations);
    }
  }

  /// True at the end. Looks at the clock only once in a while.
  [[nodiscard]] bool reached() {
    if (evaluator_->simulations() >= end_ ||
        evaluator_->best_makespan() <= evaluator_->lower_bound()) {
      return true;
    }
    if (evaluator_->budget().seconds > 0.0 && evaluator_->simulations() >= next_look_) {
      next_look_ = evaluator_->simulations() + kLookEvery;
      used_ = used_time();
    }
    return used_ >= 1.0;
  }

  /// Simulations up to the limit; 0 if that is one of time alone.
  [[nodiscard]] std::uint64_t simulations_left() const {
    return end_ == UINT64_MAX ? 0 : end_ - std::min(end_, evaluator_->simulations());
  }

  /// Share of the limit that is used up, 0 .. 1.
  [[nodiscard]] double used() const {
    const double simulations = end_ == UINT64_MAX ? 0.0
                               : end_ <= begin_
                                   ? 1.0
                                   : static_cast<double>(evaluator_->simulations() - begin_) /
                                         static_cast<double>(end_ - begin_);
    return std::min(1.0, std::max(simulations, used_));
  }

 private:
  static constexpr std::uint64_t kLookEvery = 32;

  [[nodiscard]] double used_time() const {
    const double left = evaluator_->budget().seconds - begin_seconds_;
    return left <= 0.0 ? 1.0 : (evaluator_->elapsed_seconds() - begin_seconds_) / left;
  }

  const Evaluator* evaluator_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = UINT64_MAX;
  std::uint64_t next_look_ = 0;
  double begin_seconds_;
  double used_ = 0.0;
};

}  // namespace berth::baselines
