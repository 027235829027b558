// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/parallel_plan.hpp"

namespace berth::nest {

/// What the user fixed; anything not set is searched.
struct Pins {
  std::optional<std::uint32_t> tensor, context, expert, micro_batch, stages, data, zero, chunks;
  std::optional<bool> sequence_parallel;
  std::optional<bool> mixed;  ///< Whether stages differ in tensor width or replicas.
  std::optional<Packing> packing;
  std::optional<Recompute> recompute;

  /// Whether a configuration is among what is left open.
  [[nodiscard]] bool allow(const StrategyConfiguration& configuration) const;
};

enum class Objective : std::uint8_t { kTime, kCost, kDevices };

/// How mode `default` searches and charges.
struct SearchSettings {
  Pins pins;
  Objective objective = Objective::kTime;
  double overlap_transfer = 0.0;  ///< Share of point-to-point time hidden behind compute.
  double overlap_gradient = 0.0;  ///< The same for gradient and ZeRO collectives.
};

/// Pins from text:
/// "tp=8,pp=4,vpp=2,dp=2,cp=1,ep=1,sp=true,mbs=1,zero=1,packing=data-inner,recompute=full,
/// mixed=false".
/// @throws InputError naming the piece and what is known.
[[nodiscard]] Pins parse_pins(const std::string& text);

}  // namespace berth::nest
