// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search_limit.hpp"

namespace berth::baselines {

/// A part of a search's limit, from one used-up share to another.
class SearchPhase {
 public:
  SearchPhase(SearchLimit& limit, double begin, double end)
      : limit_(&limit), begin_(begin), end_(end) {}

  [[nodiscard]] bool over() { return limit_->reached() || (end_ < 1.0 && limit_->used() >= end_); }
  /// 0 .. 1 through the phase.
  [[nodiscard]] double used() const {
    return std::clamp((limit_->used() - begin_) / (end_ - begin_), 0.0, 1.0);
  }

 private:
  SearchLimit* limit_;
  double begin_;
  double end_;
};

/// Temperatures of repeated annealing: each cycle falls geometrically from hot to cold, and the
/// next one starts hot again from the best known.
struct Cooling {
  double hot = 1.0;
  double cold = 1.0;
  std::uint32_t cycles = 1;

  [[nodiscard]] std::uint32_t cycle(double used) const noexcept {
    return std::min(cycles - 1, static_cast<std::uint32_t>(used * cycles));
  }
  [[nodiscard]] double temperature(double used) const noexcept {
    const double within = std::clamp(used * cycles - cycle(used), 0.0, 1.0);
    return hot * std::pow(cold / hot, within);
  }
};

}  // namespace berth::baselines
