// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "berth/parallel_plan.hpp"

#include "chain_sums.hpp"
#include "pipeline_layout.hpp"
#include "search_settings.hpp"

namespace berth::nest {

/// Where a stage stands and how it is replicated: all that its price needs beside its layers.
struct StageSite {
  const StrategyProblem* problem = nullptr;
  const StrategyConfiguration* configuration = nullptr;
  const ChainSums* sums = nullptr;
  const Position* where = nullptr;
  std::uint32_t zero = 0;
  std::size_t data = 1;    ///< Replicas.
  double in_flight = 1.0;  ///< Most micro-batches at once in one replica.
};

/// Prices stages of one site while their end moves outwards.
class StagePrice {
 public:
  StagePrice(const StageSite& site, const SearchSettings& settings, std::size_t first_layer);

  /// Takes one more layer in.
  void extend();
  [[nodiscard]] std::size_t end() const noexcept { return end_; }

  /// The cheapest recomputation that fits, with time and memory; nothing if none fits. `limit`
  /// bytes per device, the site's own by default.
  [[nodiscard]] std::optional<PlanStage> best() const { return best(site_.where->memory_bytes); }
  [[nodiscard]] std::optional<PlanStage> best(double limit) const;

  /// Bytes and seconds with one choice of recomputation.
  [[nodiscard]] StageMemory memory(std::size_t recompute) const;
  [[nodiscard]] StageTime time(std::size_t recompute) const;
  [[nodiscard]] bool allowed(std::size_t recompute) const;
  [[nodiscard]] PlanStage stage(std::size_t recompute) const;

 private:
  [[nodiscard]] double dense() const;
  // Of all parameters, those whose ZeRO shard one device keeps.
  [[nodiscard]] double shard() const;
  [[nodiscard]] std::size_t slowest_class(std::size_t recompute) const;
  void add_gradients(std::size_t recompute, StageTime& time) const;

  StageSite site_;
  const SearchSettings& settings_;
  std::size_t begin_;
  std::size_t end_;
  std::array<double, kRecomputeChoices> work_{};
  double largest_parameters_ = 0.0;
};

}  // namespace berth::nest
