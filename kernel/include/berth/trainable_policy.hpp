// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"
#include "berth/placement_policy.hpp"
#include "berth/state.hpp"

namespace berth {
inline namespace abi_v1 {

/// The three stages of DOPPLER (section 5 of the paper): a teacher is imitated, then rewards come
/// from the simulator, then from the real system.
enum class Stage : std::uint8_t { kImitation, kSimulation, kReal };

/// Names one rollout. Everything random in it derives from `seed`.
struct RolloutSpec {
  RolloutId id{};             ///< Over the whole campaign.
  std::uint64_t seed = 0;     ///< Derived from (run seed, update, id).
  std::uint32_t problem = 0;  ///< Position in the campaign's list of problems.
  Stage stage = Stage::kSimulation;
  double progress = 0.0;  ///< 0 .. 1 through the stage, for schedules such as exploration.
};

/// One episode: the placement it ended with, and what the policy needs to recompute it.
struct Rollout {
  Placement placement;
  std::vector<std::uint32_t> decisions;  ///< The policy's own encoding.
  std::uint64_t simulations = 0;         ///< Simulations the policy spent on it by itself.
};

enum class RolloutStatus : std::uint8_t { kOk, kTimeout, kOutOfMemory, kFailed };

/// What came of a rollout, known on every rank.
struct RolloutOutcome {
  RolloutSpec spec;
  RolloutStatus status = RolloutStatus::kOk;
  double makespan = 0.0;   ///< Time units of its problem; finite when status is kOk.
  double advantage = 0.0;  ///< Filled in by TrainablePolicy::assess().
};

struct ScoredRollout {
  const Rollout* rollout = nullptr;
  RolloutOutcome outcome;
};

/// Position of an optimiser step in its campaign.
struct StepSpec {
  std::uint64_t update = 0;
  Stage stage = Stage::kSimulation;
  double progress = 0.0;       ///< 0 .. 1 through the stage.
  std::uint64_t rollouts = 0;  ///< Summed into the gradient.
};

/// A policy that learns: `berth.trainable/1`. The farm calls, for each update and on every rank,
/// rollout() or demonstrate() for the rank's own ids, assess() with all outcomes by ascending id,
/// gradient() for the rank's own groups, and step() with the sum over all groups, so that every
/// rank holds the same weights. Nothing of MPI or files is visible here.
class BERTH_API TrainablePolicy : public PlacementPolicy {
 public:
  static constexpr std::string_view kInterface = "berth.trainable/1";

  TrainablePolicy() = default;
  ~TrainablePolicy() override;

  /// One episode by the current weights. Const and thread-safe; no gradient is kept.
  [[nodiscard]] virtual Rollout rollout(const PlacementProblem& problem,
                                        const RolloutSpec& spec) const = 0;

  /// One episode of the imitation stage: the learner acts, or the teacher, as the policy defines;
  /// the gradient of such a rollout pulls towards the teacher.
  [[nodiscard]] virtual Rollout demonstrate(const PlacementProblem& problem,
                                            const RolloutSpec& spec) const = 0;

  /// Turns all outcomes of one update, sorted by id, into advantages; updates baselines.
  virtual void assess(std::span<RolloutOutcome> outcomes) = 0;

  /// Adds to `out` [num_parameters] the gradient of the summed loss over `group`, whose rollouts
  /// all belong to `problem`. Recomputed in one batched pass.
  virtual void gradient(const PlacementProblem& problem,
                        std::span<const ScoredRollout> group,
                        std::span<float> out) const = 0;

  /// One optimiser step. @pre gradient.size() == parameters().size()
  virtual void step(std::span<const float> gradient, const StepSpec& spec) = 0;

  /// All weights, flat, in the order of gradient(). Valid until the next step() or load().
  [[nodiscard]] virtual std::span<const float> parameters() const = 0;

  /// Told on every rank, in the same order, when a better placement of a problem becomes known.
  virtual void improved(const PlacementProblem& problem,
                        std::uint32_t problem_index,
                        const Placement& placement,
                        double makespan);

  /// Everything that training needs to continue bit for bit: weights, optimiser moments,
  /// schedules, baselines, counters.
  virtual void save(StateWriter& writer) const = 0;
  /// @throws CheckpointError naming the tensor that is missing or has another shape.
  virtual void load(const StateReader& reader) = 0;
};

}  // namespace abi_v1
}  // namespace berth
