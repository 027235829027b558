// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// An assessment that divides zero by zero.

#include <limits>
#include <stdexcept>

#include "trainable_stub.hpp"

namespace {
class Defect final : public berth::broken::TrainableStub {
  void assess(std::span<berth::RolloutOutcome> outcomes) override {
    outcomes.back().advantage = std::numeric_limits<double>::quiet_NaN();
  }
};
}  // namespace

BERTH_TRAINABLE_PLUGIN("nan-advantage", Defect)
