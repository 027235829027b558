// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/problem.hpp"

#include "encoder_input.hpp"
#include "node_features.hpp"
#include "settings.hpp"

namespace berth::doppler {

/// All that the policy derives from a problem once and for all. Immutable, shared by rollouts;
/// holds its own copies, so the problem may go.
struct ProblemView {
  Graph graph;
  CostTable costs;
  double scale = 1.0;  ///< Time units that count as one: the lower bound of the makespan.
  MeanCosts means;
  std::vector<double> in_transfer;       ///< [ops] sum of comm of incoming edges
  std::vector<double> sibling_transfer;  ///< [ops] sum of in_transfer over successors
  std::vector<double> b_level;           ///< [ops] with communication
  std::vector<double> compute_level;     ///< [ops] without
  std::vector<double> raw_features;      ///< [ops, node columns], for per-step normalisation
  BlockRuns runs;
  std::vector<std::uint32_t> exchangeable;  ///< [devices] see exchangeable_devices()
  /// [ops] a placement that fits in memory; empty where memory cannot run out.
  std::vector<DeviceId> packing;
  bool has_order = false;  ///< Placements carry the order in which ops were picked.
  EncoderInput input;

  [[nodiscard]] std::size_t num_ops() const noexcept { return graph.num_ops(); }
  [[nodiscard]] std::size_t num_devices() const noexcept { return costs.num_devices; }
};

/// O(ops + edges log edges).
/// @throws SolverError if no placement fits in the devices' memory, or none is found.
[[nodiscard]] ProblemView make_view(const PlacementProblem& problem, const Settings& settings);

}  // namespace berth::doppler
