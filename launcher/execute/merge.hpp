// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "berth/training_job.hpp"

namespace berth::launcher {

/// How much each copy of a job counts in the merged model.
enum class MergeWeights : std::uint8_t {
  kSteps,                  ///< In proportion to its steps.
  kSamples,                ///< In proportion to its steps times its batch.
  kUniform,                ///< Every copy that made steps alike.
  kInverseValidationLoss,  ///< In proportion to 1 / its loss on validation samples.
};

struct MergeRule {
  MergeWeights weights = MergeWeights::kSteps;
  bool reset_optimizer = false;   ///< Moments start from zero after a merge; else averaged.
  bool mean_of_counters = false;  ///< Schedules advance by sum / copies; else by the sum.

  bool operator==(const MergeRule&) const = default;
};

/// What a copy did in a slot, as far as a merge needs it.
struct MergeCopy {
  std::uint64_t steps = 0;  ///< 0: lost, or never started; it counts nothing.
  std::uint64_t batch = 1;
  double validation_loss = 0.0;  ///< For kInverseValidationLoss.
  TrainingCounters counters;     ///< After the slot.
  std::span<const float> state;  ///< Packed; may be empty where steps == 0.
};

/// A merged copy, from which all start the next slot.
struct MergedState {
  std::vector<double> omega;  ///< [copies], sums to 1; 0 for copies without steps.
  std::vector<float> state;
  TrainingCounters counters;
};

/// omega_i in proportion to the rule's weight. A copy whose validation loss is not finite or <= 0
/// while others' are counts nothing; if none is usable, steps decide.
/// @pre some copy has steps.
[[nodiscard]] std::vector<double> merge_weights(std::span<const MergeCopy> copies,
                                                MergeWeights rule);

/// Weighted average theta = sum omega_i theta_i of the copies of a job (local SGD, Stich 2019;
/// federated averaging, McMahan et al. 2017), computed in double. Buffers and moments go with the
/// same weights. A single copy is taken over bit by bit, moments too: nothing was merged.
/// @param start Counters at the beginning of the slot, equal for all copies.
[[nodiscard]] MergedState merge_copies(std::span<const TrainingTensor> tensors,
                                       std::span<const MergeCopy> copies,
                                       const TrainingCounters& start,
                                       const MergeRule& rule);

}  // namespace berth::launcher
