// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "berth/strategy_problem.hpp"

#include "artifact_options.hpp"

namespace berth::nest {

/// Time and memory of every stage [i, j) of a chain of one configuration, by network level, as the
/// NEST artifact computes them (commit 3e163ad). Levels beyond the last are not asked for.
///
/// Cost: O(levels * layers^3) to build, O(1) to ask for a load; 24 * levels * layers^2 bytes.
class ArtifactStages {
 public:
  ArtifactStages(const StrategyProblem& problem,
                 const StrategyConfiguration& configuration,
                 const ArtifactOptions& options);

  [[nodiscard]] std::size_t num_layers() const noexcept { return layers_; }
  [[nodiscard]] std::size_t num_levels() const noexcept { return bandwidth_.size(); }

  /// Seconds per micro-batch if the link in is at level `in` and the link out at level `out`;
  /// `position` counts from the last stage, which is 1 and never recomputes.
  [[nodiscard]] double load(
      std::size_t i, std::size_t j, std::size_t in, std::size_t out, std::size_t position) const;

  /// Parts of load() that need no link; O(j - i).
  [[nodiscard]] double forward(std::size_t i, std::size_t j) const;
  [[nodiscard]] double backward(std::size_t i, std::size_t j) const;
  [[nodiscard]] double recompute(std::size_t i, std::size_t j, std::size_t position) const;

  [[nodiscard]] double weight_bytes(std::size_t i, std::size_t j) const;
  [[nodiscard]] double optimizer_bytes(std::size_t i, std::size_t j) const;
  [[nodiscard]] double activation_bytes(std::size_t i, std::size_t j) const;
  /// Kept per micro-batch in flight.
  [[nodiscard]] double stash_bytes(std::size_t i, std::size_t j) const;

  /// Largest position at which a stage with `fixed` bytes beside its stashes fits: 0 if none,
  /// `most` if all (spec 3.4).
  [[nodiscard]] std::size_t deepest_position(std::size_t i,
                                             std::size_t j,
                                             double fixed,
                                             std::size_t most) const;
  /// Weights, gradients, optimizer states and one set of activations, unsharded.
  [[nodiscard]] double fixed_bytes(std::size_t i, std::size_t j) const;

  /// All-reduce of `size_bytes` among `ranks` devices 0, stride, 2 * stride, ... (spec 3.7).
  [[nodiscard]] double all_reduce(const NetworkLevels& network,
                                  double size_bytes,
                                  std::size_t ranks,
                                  std::size_t stride) const;

 private:
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const { return i * (layers_ + 1) + j; }
  [[nodiscard]] double transfer(std::size_t level, double size_bytes) const;
  void fill_forward(const StrategyConfiguration& configuration);
  void fill_backward(const StrategyConfiguration& configuration);
  void fill_crossing(const StrategyConfiguration& configuration);

  std::size_t layers_;
  bool recompute_;
  double memory_bytes_;
  double optimizer_per_weight_;
  std::vector<double> bandwidth_;                    // [level], of the slowest link up to it
  std::vector<double> raw_bandwidth_;                // [level]
  std::vector<double> latency_;                      // [level]
  std::vector<double> forward_, backward_, again_;   // [layer]; again: when computed twice
  std::vector<double> weight_sum_, activation_sum_;  // [layer + 1], of all layers before
  std::vector<double> forward_time_;                 // [level][i][j]: finish of the last layer
  std::vector<double> backward_time_;                // [level][i][j]: finish of the first layer
  std::vector<double> again_time_;                   // the same after a second forward pass
  std::vector<double> crossing_;                     // [i][j]: bytes of edges that enter the stage
};

}  // namespace berth::nest
