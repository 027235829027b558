// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A gradient that is not a number.

#include <limits>
#include <stdexcept>

#include "trainable_stub.hpp"

namespace {
class Defect final : public berth::broken::TrainableStub {
  void gradient(const berth::PlacementProblem&,
                std::span<const berth::ScoredRollout>,
                std::span<float> out) const override {
    out[1] = std::numeric_limits<float>::quiet_NaN();
  }
};
}  // namespace

BERTH_TRAINABLE_PLUGIN("nan-gradient", Defect)
