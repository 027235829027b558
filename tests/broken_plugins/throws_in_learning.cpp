// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Every call of learning fails, with its own category.

#include <limits>
#include <stdexcept>

#include "trainable_stub.hpp"

namespace {
class Defect final : public berth::broken::TrainableStub {
  berth::Rollout rollout(const berth::PlacementProblem&, const berth::RolloutSpec&) const override {
    throw std::runtime_error("rolled off");
  }
  void assess(std::span<berth::RolloutOutcome>) override { throw berth::RunError("no baseline"); }
  void save(berth::StateWriter&) const override { throw berth::InputError("no name"); }
  void load(const berth::StateReader&) override {
    throw berth::CheckpointError("tensor 'w' is missing");
  }
};
}  // namespace

BERTH_TRAINABLE_PLUGIN("throws-in-learning", Defect)
