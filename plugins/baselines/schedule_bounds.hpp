// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/problem.hpp"

namespace berth::baselines {

/// Least times of a problem that every schedule in the `delay` model respects.
struct LeastTimes {
  std::vector<double> compute;   ///< [ops] on the op's fastest device
  std::vector<double> transfer;  ///< [edges] over the pairs of distinct devices
  std::vector<double> tail;      ///< [ops] from the end of an op to the end of the graph
  bool whole = false;  ///< True if all compute and transfer times are integers: makespans are too.
};

/// The tail of an op sees that of its successors either all those with a large transfer follow it
/// on its own device, one after another, or one of them waits for its transfer. One device: no
/// transfer is ever needed.
/// Cost O(edges * largest out-degree + edges * devices^2).
[[nodiscard]] LeastTimes least_times(const PlacementProblem& problem);

/// A predecessor of an op that is not scheduled yet.
struct PendingInput {
  double start = 0.0;    ///< Least start.
  double compute = 0.0;  ///< Least duration.
  double arrival = 0.0;  ///< Least finish plus the least transfer time.
};

/// Least time at which all inputs can be in one place: some of them, those that would arrive
/// latest, are computed there one after another, the others arrive. Sorts `inputs`.
[[nodiscard]] double least_join(std::vector<PendingInput>& inputs);

}  // namespace berth::baselines
