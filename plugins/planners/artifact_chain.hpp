// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/strategy_problem.hpp"

namespace berth::planners {

/// Seconds and bytes of one stage of a chain by the artifact's rules.
class ArtifactChain {
 public:
  ArtifactChain(const StrategyProblem& problem,
                std::uint32_t configuration,
                bool recompute_at_backward_cost)
      : problem_(problem),
        configuration_(problem.configurations[configuration]),
        at_backward_cost_(recompute_at_backward_cost) {}

  /// Layers [begin, end) with links of these levels. Cost O(edges + layers of the stage).
  [[nodiscard]] double seconds(std::size_t begin,
                               std::size_t end,
                               std::size_t level_in,
                               std::size_t level_out,
                               bool recompute) const;
  /// Bytes of the stage if it keeps `in_flight` micro-batches.
  [[nodiscard]] double bytes(std::size_t begin, std::size_t end, std::size_t in_flight) const;
  [[nodiscard]] double weight_bytes(std::size_t begin, std::size_t end) const;

  /// Level between stages at positions `a` and `b` of a replica that starts at device 0.
  [[nodiscard]] std::size_t level(std::size_t a, std::size_t b) const;
  /// The artifact's all-reduce over `data` replicas of `stages` stages.
  [[nodiscard]] double reduce_seconds(std::size_t data, std::size_t stages, double size) const;

 private:
  [[nodiscard]] double travel(double size, std::size_t level) const;

  const StrategyProblem& problem_;
  const StrategyConfiguration& configuration_;
  bool at_backward_cost_;
};

/// Time per batch of cuts as the artifact scores its baselines, stages in reverse; infinity if one
/// does not fit. @param cuts [stages + 1]: first layer of each stage, then the number of layers.
[[nodiscard]] double reversed_seconds(const StrategyProblem& problem,
                                      const ArtifactChain& chain,
                                      const std::vector<std::size_t>& cuts,
                                      std::size_t data,
                                      std::size_t micro_batches);

/// The cuts into `stages` stages, in order, with the least (b + S - 1) slowest + all-reduce of the
/// first stage that fit; empty if none fits. Exact. Cost O(layers^2 (stages + edges)).
[[nodiscard]] std::vector<std::size_t> best_cuts(const StrategyProblem& problem,
                                                 const ArtifactChain& chain,
                                                 std::size_t stages,
                                                 std::size_t data,
                                                 std::size_t micro_batches);

}  // namespace berth::planners
