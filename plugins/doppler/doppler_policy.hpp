// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/host_services.hpp"
#include "berth/trainable_policy.hpp"

#include "adam.hpp"
#include "advantages.hpp"
#include "elites.hpp"
#include "encoder_net.hpp"
#include "episode.hpp"
#include "parameter_layout.hpp"
#include "prepared_cache.hpp"
#include "replay.hpp"
#include "settings.hpp"

namespace berth::doppler {

/// DOPPLER (Yao et al., ICLR 2026): SEL picks the next op, PLC its device; learned by imitation,
/// then from the simulator, then from the real system.
class DopplerPolicy final : public TrainablePolicy {
 public:
  DopplerPolicy(const Settings& settings, std::uint64_t seed);

  [[nodiscard]] Placement place(const PlacementProblem& problem,
                                Evaluator& evaluator,
                                Rng& rng) override;
  [[nodiscard]] Rollout rollout(const PlacementProblem& problem,
                                const RolloutSpec& spec) const override;
  [[nodiscard]] Rollout demonstrate(const PlacementProblem& problem,
                                    const RolloutSpec& spec) const override;
  void assess(std::span<RolloutOutcome> outcomes) override;
  void gradient(const PlacementProblem& problem,
                std::span<const ScoredRollout> group,
                std::span<float> out) const override;
  void step(std::span<const float> gradient, const StepSpec& spec) override;
  [[nodiscard]] std::span<const float> parameters() const override { return weights_; }
  void improved(const PlacementProblem& problem,
                std::uint32_t problem_index,
                const Placement& placement,
                double makespan) override;
  void save(StateWriter& writer) const override;
  void load(const StateReader& reader) override;

  [[nodiscard]] const ParameterLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  /// Tables and weights as the rollouts of this version see them.
  [[nodiscard]] std::shared_ptr<const PreparedProblem> prepare(
      const PlacementProblem& problem) const;

 private:
  /// Offers what comes of placing each of the graph's pieces by itself, if it has some.
  void place_by_pieces(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng);
  [[nodiscard]] ActSpec act_spec(const RolloutSpec& spec) const;
  void teach(const ScoredRollout& scored, std::size_t ops, Replay& replay) const;
  void teach_placement(std::span<const DeviceId> placement,
                       std::span<const std::uint32_t> decisions,
                       double weight,
                       Replay& replay) const;
  void teach_schedule(const Elite& elite, double weight, Replay& replay) const;

  Settings settings_;
  ParameterLayout layout_;
  EncoderNet encoder_;
  std::vector<float> weights_;
  std::uint64_t version_ = 1;
  Adam adam_;
  Advantages advantages_;
  Elites elites_;
  mutable PreparedCache cache_;
};

}  // namespace berth::doppler
