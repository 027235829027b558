// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "net_job.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>

#include "berth/rng.hpp"

#include "doppler/denormals.hpp"

namespace berth::training {
namespace {

using Clock = std::chrono::steady_clock;

enum Stream : std::uint64_t { kWeights = 0x77656967 };

constexpr std::size_t kRowsAtOnce = 512;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Mean and deviation of the training targets, so that every job starts with errors of order one.
ModelShape scaled(ModelShape shape, const SampleSet& samples) {
  if (shape.classes > 0) {
    return shape;
  }
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = samples.train.begin; i < samples.train.end; ++i) {
    sum += samples.values[i];
    squares += static_cast<double>(samples.values[i]) * samples.values[i];
  }
  const auto count = static_cast<double>(samples.train.size());
  shape.target_mean = sum / count;
  const double variance = squares / count - shape.target_mean * shape.target_mean;
  shape.target_scale = variance > 0.0 ? std::sqrt(variance) : 1.0;
  return shape;
}

OptimizerSettings optimizer_of(const Config& config) {
  return {config.text("optimizer") == "adam", config.real("momentum"), config.real("weight_decay")};
}

template <class Value>
void take_row(const std::vector<Value>& from,
              std::size_t width,
              std::size_t row,
              std::vector<Value>& out) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
}

}  // namespace

NetJob::NetJob(ModelShape shape, SampleSet samples, ScoreKind score, const HostServices& host)
    : samples_(std::move(samples)),
      score_(score),
      batch_(static_cast<std::uint64_t>(host.config->integer("batch"))),
      learning_rate_(host.config->real("learning_rate")),
      schedule_steps_(host.config->text("schedule") == "cosine"
                          ? static_cast<std::uint64_t>(host.config->integer("schedule_steps"))
                          : 0),
      threads_(static_cast<int>(host.config->integer("threads"))),
      order_(samples_.train, batch_, host.seed),
      net_(scaled(shape, samples_), optimizer_of(*host.config)) {
  start(host.seed);
}

void NetJob::start(std::uint64_t seed) {
  std::vector<float> state;
  std::uint64_t number = 0;
  for (const NetTensor& tensor : net_.tensors()) {
    Rng rng(seed, {kWeights, number++});
    const std::int64_t count = std::accumulate(
        tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t i = 0; i < count; ++i) {
      state.push_back(
          static_cast<float>(tensor.value + tensor.bound * (2.0 * rng.uniform() - 1.0)));
    }
  }
  net_.set(state.data());
}

TrainingSize NetJob::size() const {
  TrainingSize size;
  size.flops_per_sample = net_.flops_per_row();
  for (const TrainingTensor& tensor : tensors()) {
    size.parameters +=
        tensor.role == TensorRole::kParameter ? static_cast<double>(count_values(tensor)) : 0.0;
  }
  size.batch = batch_;
  size.train_samples = samples_.train.size();
  return size;
}

std::vector<TrainingTensor> NetJob::tensors() const {
  std::vector<TrainingTensor> tensors;
  for (const NetTensor& tensor : net_.tensors()) {
    tensors.push_back({tensor.name, static_cast<TensorRole>(tensor.role), tensor.shape});
  }
  return tensors;
}

double NetJob::learning_rate() const {
  if (schedule_steps_ == 0) {
    return learning_rate_;
  }
  const double progress = std::min(
      1.0, static_cast<double>(counters_.schedule_steps) / static_cast<double>(schedule_steps_));
  return learning_rate_ * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

NetBatch NetJob::gather(const std::vector<std::size_t>& rows) {
  features_.clear();
  ids_.clear();
  values_.clear();
  labels_.clear();
  for (const std::size_t row : rows) {
    take_row(samples_.features, samples_.num_features, row, features_);
    take_row(samples_.ids, samples_.num_ids, row, ids_);
    take_row(samples_.values, samples_.values.empty() ? 0 : 1, row, values_);
    take_row(samples_.labels, samples_.num_labels, row, labels_);
  }
  return {static_cast<std::int64_t>(rows.size()),
          features_.data(),
          ids_.data(),
          values_.data(),
          labels_.data()};
}

TrainingOutcome NetJob::train(const TrainingOrder& order) {
  const doppler::FlushDenormals flush;
  TrainingNet::use_threads(threads_);
  const Clock::time_point begin = Clock::now();
  TrainingOutcome outcome;
  double loss = 0.0;
  while (outcome.steps < order.steps &&
         (order.seconds <= 0.0 || seconds_since(begin) < order.seconds)) {
    const NetBatch batch = gather(order_.batch_of(order.first_step + outcome.steps));
    loss += net_.step(batch, learning_rate(), counters_.optimizer_steps + 1);
    ++counters_.optimizer_steps;
    ++counters_.schedule_steps;
    ++outcome.steps;
  }
  outcome.mean_loss = outcome.steps > 0 ? loss / static_cast<double>(outcome.steps) : 0.0;
  outcome.seconds = seconds_since(begin);
  return outcome;
}

TrainingScore NetJob::evaluate(HeldOut part) {
  const doppler::FlushDenormals flush;
  TrainingNet::use_threads(threads_);
  const SampleRange range = part == HeldOut::kTest ? samples_.test : samples_.validation;
  NetScore sum;
  std::vector<std::size_t> rows;
  for (std::size_t at = range.begin; at < range.end; at += kRowsAtOnce) {
    rows.resize(std::min(kRowsAtOnce, range.end - at));
    std::iota(rows.begin(), rows.end(), at);
    const NetScore score = net_.evaluate(gather(rows));
    sum.targets += score.targets;
    sum.loss += score.loss;
    sum.correct += score.correct;
    sum.squared_error += score.squared_error;
  }
  const double loss = sum.loss / sum.targets;
  switch (score_) {
    case ScoreKind::kAccuracy:
      return {"accuracy", sum.correct / sum.targets, true, loss};
    case ScoreKind::kPerplexity:
      return {"perplexity", std::exp(loss), false, loss};
    default:
      return {"RMSE", std::sqrt(sum.squared_error / sum.targets), false, loss};
  }
}

void NetJob::get_state(std::span<float> out) const {
  net_.get(out.data());
}

void NetJob::set_state(std::span<const float> values) {
  net_.set(values.data());
}

}  // namespace berth::training
