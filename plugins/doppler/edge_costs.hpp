// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/problem.hpp"

namespace berth::doppler {

/// What the networks take as comp and comm, in time units: means over devices and over pairs of
/// distinct devices, so that graphs on mixed devices have one number an op and an edge.
struct MeanCosts {
  std::vector<double> compute;   ///< [ops] comp(v)
  std::vector<double> transfer;  ///< [edges] comm of an edge
  /// [ops] comm(v), v's own output cost: the largest of its edges; for a sink that of its output
  /// size where the graph knows it.
  std::vector<double> output;
};

[[nodiscard]] MeanCosts mean_costs(const PlacementProblem& problem);

}  // namespace berth::doppler
