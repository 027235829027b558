// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Rollouts and demonstrations that place an op nowhere.

#include <limits>
#include <stdexcept>

#include "trainable_stub.hpp"

namespace {
class Defect final : public berth::broken::TrainableStub {
  berth::Rollout rollout(const berth::PlacementProblem& problem,
                         const berth::RolloutSpec& spec) const override {
    berth::Rollout rollout = TrainableStub::rollout(problem, spec);
    rollout.placement.device.front() = berth::DeviceId{7};
    return rollout;
  }
  berth::Rollout demonstrate(const berth::PlacementProblem&,
                             const berth::RolloutSpec&) const override {
    return {};
  }
};
}  // namespace

BERTH_TRAINABLE_PLUGIN("bad-rollout", Defect)
