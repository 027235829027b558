// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "merge.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

bool is_usable(double loss) {
  return std::isfinite(loss) && loss > 0.0;
}

double raw_weight(const MergeCopy& copy, MergeWeights rule) {
  const auto steps = static_cast<double>(copy.steps);
  switch (rule) {
    case MergeWeights::kSteps:
      return steps;
    case MergeWeights::kSamples:
      return steps * static_cast<double>(copy.batch);
    case MergeWeights::kUniform:
      return copy.steps > 0 ? 1.0 : 0.0;
    default:
      return copy.steps > 0 && is_usable(copy.validation_loss) ? 1.0 / copy.validation_loss : 0.0;
  }
}

std::uint64_t rounded(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

}  // namespace

std::vector<double> merge_weights(std::span<const MergeCopy> copies, MergeWeights rule) {
  std::vector<double> omega;
  double sum = 0.0;
  for (const MergeCopy& copy : copies) {
    omega.push_back(raw_weight(copy, rule));
    sum += omega.back();
  }
  if (!(sum > 0.0)) {
    BERTH_CHECK(rule != MergeWeights::kSteps, "a merge of copies without steps");
    return merge_weights(copies, MergeWeights::kSteps);
  }
  for (double& weight : omega) {
    weight /= sum;
  }
  return omega;
}

MergedState merge_copies(std::span<const TrainingTensor> tensors,
                         std::span<const MergeCopy> copies,
                         const TrainingCounters& start,
                         const MergeRule& rule) {
  MergedState merged;
  merged.omega = merge_weights(copies, rule.weights);
  const std::size_t size = count_values(tensors);
  const auto used = [&](std::size_t i) { return merged.omega[i] > 0.0; };
  std::size_t num_used = 0;
  std::size_t last = 0;
  double all_steps = 0.0;
  double mean_optimizer_steps = 0.0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    all_steps += static_cast<double>(copies[i].steps);
    if (used(i)) {
      BERTH_CHECK(copies[i].state.size() == size, "a copy's state has the size of its tensors");
      ++num_used;
      last = i;
      mean_optimizer_steps +=
          merged.omega[i] * static_cast<double>(copies[i].counters.optimizer_steps);
    }
  }
  if (num_used == 1) {
    merged.state.assign(copies[last].state.begin(), copies[last].state.end());
    merged.counters = copies[last].counters;
    return merged;
  }
  std::vector<double> sum(size, 0.0);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    for (std::size_t k = 0; used(i) && k < size; ++k) {
      sum[k] += merged.omega[i] * static_cast<double>(copies[i].state[k]);
    }
  }
  merged.state.assign(sum.begin(), sum.end());
  merged.counters.optimizer_steps = rounded(mean_optimizer_steps);
  merged.counters.schedule_steps =
      start.schedule_steps +
      rounded(rule.mean_of_counters ? all_steps / static_cast<double>(num_used) : all_steps);
  if (rule.reset_optimizer) {
    merged.counters.optimizer_steps = 0;
    std::size_t at = 0;
    for (const TrainingTensor& tensor : tensors) {
      const std::size_t count = count_values(tensor);
      if (tensor.role == TensorRole::kOptimizer) {
        std::fill_n(merged.state.begin() + static_cast<std::ptrdiff_t>(at), count, 0.0F);
      }
      at += count;
    }
  }
  return merged;
}

}  // namespace berth::launcher
