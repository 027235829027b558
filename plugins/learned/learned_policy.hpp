// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "berth/trainable_policy.hpp"

#include "adam.hpp"
#include "advantages.hpp"
#include "chooser.hpp"
#include "learned_settings.hpp"
#include "learned_view.hpp"
#include "placement_net.hpp"

namespace berth::learned {

/// A policy that places the ops in a fixed order by one network: Placeto or GDP. Learns by
/// REINFORCE, first, where a campaign asks for it, by imitating the earliest device.
///
/// Rollout::decisions: the device of each step.
class LearnedPolicy final : public TrainablePolicy {
 public:
  LearnedPolicy(const LearnedSettings& settings,
                std::unique_ptr<const PlacementNet> net,
                std::uint64_t seed);

  [[nodiscard]] Placement place(const PlacementProblem& problem,
                                Evaluator& evaluator,
                                Rng& rng) override;
  [[nodiscard]] Rollout rollout(const PlacementProblem& problem,
                                const RolloutSpec& spec) const override;
  [[nodiscard]] Rollout demonstrate(const PlacementProblem& problem,
                                    const RolloutSpec& spec) const override;
  void assess(std::span<RolloutOutcome> outcomes) override { advantages_.assess(outcomes); }
  void gradient(const PlacementProblem& problem,
                std::span<const ScoredRollout> group,
                std::span<float> out) const override;
  void step(std::span<const float> gradient, const StepSpec& spec) override;
  [[nodiscard]] std::span<const float> parameters() const override { return weights_; }
  void save(StateWriter& writer) const override;
  void load(const StateReader& reader) override;

  [[nodiscard]] std::shared_ptr<const LearnedView> view_of(const PlacementProblem& problem) const;

 private:
  struct Known {
    std::shared_ptr<const LearnedView> view;
    /// [steps, devices] where they do not depend on the placement
    std::shared_ptr<const std::vector<float>> logits;
    std::uint64_t version = 0;  ///< Of the weights behind `logits`.
  };
  /// One reading of a problem with the current weights, shared by its rollouts.
  [[nodiscard]] Known read(const PlacementProblem& problem) const;
  /// @throws SolverError naming the op that found no room, in this and a few further episodes.
  [[nodiscard]] Rollout play(const Known& read,
                             doppler::ActMode mode,
                             double explore,
                             Rng& rng) const;
  [[nodiscard]] Rollout play_once(const Known& read,
                                  doppler::ActMode mode,
                                  double explore,
                                  Rng& rng) const;
  /// What an episode ends with; if it runs out of memory, a packing.
  [[nodiscard]] Placement placement_of(const Known& read, doppler::ActMode mode, Rng& rng) const;
  [[nodiscard]] const doppler::StageSettings& stage(Stage stage) const noexcept {
    return stage == Stage::kImitation ? settings_.imitation : settings_.simulation;
  }
  struct Lesson;
  [[nodiscard]] Lesson lesson_of(const LearnedView& learned, const ScoredRollout& scored) const;
  void add_loss(const Lesson& lesson,
                std::size_t first,
                std::span<const float> logits,
                std::span<float> dlogits) const;

  LearnedSettings settings_;
  std::unique_ptr<const PlacementNet> net_;
  std::vector<float> weights_;
  doppler::Adam adam_;
  doppler::Advantages advantages_;
  std::uint64_t version_ = 1;  ///< Of the weights.

  [[nodiscard]] Known& known(const PlacementProblem& problem) const;

  mutable std::mutex mutex_;
  mutable std::map<std::tuple<std::uint64_t, std::uint64_t, int>, Known> known_;
};

}  // namespace berth::learned
