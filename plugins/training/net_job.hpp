// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/host_services.hpp"
#include "berth/training_job.hpp"

#include "sample_order.hpp"
#include "sample_set.hpp"
#include "training_net.hpp"

namespace berth::training {

/// What a job's held-out samples are judged by.
enum class ScoreKind : std::uint8_t { kAccuracy, kPerplexity, kRmse };

/// A model on its samples, trained by a real optimizer.
class NetJob final : public TrainingJob {
 public:
  /// Reads the options common to all jobs from `host`. A numeric target is scaled by the mean and
  /// deviation of the training samples.
  NetJob(ModelShape shape, SampleSet samples, ScoreKind score, const HostServices& host);

  [[nodiscard]] TrainingSize size() const override;
  [[nodiscard]] std::vector<TrainingTensor> tensors() const override;
  TrainingOutcome train(const TrainingOrder& order) override;
  [[nodiscard]] TrainingScore evaluate(HeldOut part) override;
  void get_state(std::span<float> out) const override;
  void set_state(std::span<const float> values) override;
  [[nodiscard]] TrainingCounters counters() const override { return counters_; }
  void set_counters(const TrainingCounters& counters) override { counters_ = counters; }

 private:
  [[nodiscard]] double learning_rate() const;
  [[nodiscard]] NetBatch gather(const std::vector<std::size_t>& rows);
  void start(std::uint64_t seed);

  SampleSet samples_;
  ScoreKind score_;
  std::uint64_t batch_;
  double learning_rate_;
  std::uint64_t schedule_steps_;  // 0: constant
  int threads_;
  SampleOrder order_;
  TrainingNet net_;
  TrainingCounters counters_;
  std::vector<float> features_;  // of the batch at hand
  std::vector<std::int64_t> ids_;
  std::vector<float> values_;
  std::vector<std::int64_t> labels_;
};

}  // namespace berth::training
