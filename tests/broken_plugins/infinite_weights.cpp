// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A step that blows the weights up.

#include <limits>
#include <stdexcept>

#include "trainable_stub.hpp"

namespace {
class Defect final : public berth::broken::TrainableStub {
  void step(std::span<const float>, const berth::StepSpec&) override {
    weights_[2] = std::numeric_limits<float>::infinity();
  }
};
}  // namespace

BERTH_TRAINABLE_PLUGIN("infinite-weights", Defect)
