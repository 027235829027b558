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

/// How a search heats and cools.
struct Heat {
  double hot = 0.0;           ///< First temperature of a cycle, as a share of the makespan.
  double cold = 0.0;          ///< Last temperature of a cycle, likewise.
  double moves_per_op = 1.0;  ///< Length that a cycle should have.
  int kicks = 0;              ///< Random moves that start a cycle.
  /// Moves an op below which a search is too short to cool down from hot and would only lose a good
  /// start: hot shrinks in proportion, and the search starts cold until its length is known.
  double least_moves_per_op = 0.0;
};

/// Temperatures of repeated annealing: each cycle falls geometrically from hot to cold. The number
/// of cycles, and how hot they are, follow from the search's speed once a fiftieth of it is over.
class Cooling {
 public:
  Cooling(const Heat& heat, double makespan, std::size_t ops)
      : heat_(heat), makespan_(makespan), ops_(static_cast<double>(ops)) {}

  /// Tells how far the search is. @return true at the start of a new cycle.
  bool advance(double used, std::uint64_t simulations) {
    if (!planned_ && used > kPlanAfter) {
      planned_ = true;
      const double total = static_cast<double>(simulations) / used;
      cycles_ = std::clamp(std::floor(total / (heat_.moves_per_op * ops_)), 1.0, kMostCycles);
      if (total < heat_.least_moves_per_op * ops_) {
        heat_.hot = std::max(heat_.cold, heat_.hot * total / (heat_.least_moves_per_op * ops_));
      }
      cycle_ = std::floor(used * cycles_);
    }
    const double position = std::min(used * cycles_, cycles_);
    const double fallen =
        planned_ || heat_.least_moves_per_op == 0.0 ? std::clamp(position - cycle_, 0.0, 1.0) : 1.0;
    temperature_ =
        heat_.hot <= 0.0 ? 0.0 : makespan_ * heat_.hot * std::pow(heat_.cold / heat_.hot, fallen);
    const double cycle = std::min(std::floor(position), cycles_ - 1.0);
    const bool begins = cycle > cycle_;
    cycle_ = cycle;
    return begins;
  }

  [[nodiscard]] double temperature() const noexcept { return temperature_; }

 private:
  static constexpr double kPlanAfter = 0.02;
  static constexpr double kMostCycles = 1e6;

  Heat heat_;
  double makespan_;
  double ops_;
  bool planned_ = false;
  double cycles_ = 1.0;
  double cycle_ = 0.0;
  double temperature_ = 0.0;
};

}  // namespace berth::baselines
