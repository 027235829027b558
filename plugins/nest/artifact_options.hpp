// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace berth::nest {

/// The switches of mode `artifact`; each difference from the artifact can be shown alone.
struct ArtifactOptions {
  enum class Update : std::uint8_t {
    kArtifact,  ///< The artifact's recurrence, which may lose the optimum.
    kExact,     ///< True minimum over the same plans.
  };
  enum class RecomputeCost : std::uint8_t { kBackward, kForward };
  enum class Fill : std::uint8_t {
    kMax,  ///< (b + S - 1) * slowest stage.
    kSum,  ///< Sum of the stages + (b - 1) * slowest stage.
  };
  Update update = Update::kArtifact;
  RecomputeCost recompute_cost = RecomputeCost::kBackward;
  Fill fill = Fill::kMax;
};

}  // namespace berth::nest
