// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A step that changes the number of parameters.

#include <limits>
#include <stdexcept>

#include "trainable_stub.hpp"

namespace {
class Defect final : public berth::broken::TrainableStub {
  void step(std::span<const float>, const berth::StepSpec&) override { weights_.push_back(0.0F); }
};
}  // namespace

BERTH_TRAINABLE_PLUGIN("grows-weights", Defect)
