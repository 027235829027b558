// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_training_job.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace berth::internal {
namespace {

class GuardedTrainingJob final : public TrainingJob {
 public:
  explicit GuardedTrainingJob(std::unique_ptr<PluginObject> object) : object_(std::move(object)) {
    check_tensors(tensors());
    check_size(size());
  }

  TrainingSize size() const override {
    return guarded(object_->who(), "size", [&] { return job().size(); });
  }

  std::vector<TrainingTensor> tensors() const override {
    return guarded(object_->who(), "tensors", [&] { return job().tensors(); });
  }

  TrainingOutcome train(const TrainingOrder& order) override {
    const TrainingOutcome outcome =
        guarded(object_->who(), "train", [&] { return job().train(order); });
    if (outcome.steps > order.steps || !(outcome.seconds >= 0.0)) {
      refuse("train answered " + std::to_string(outcome.steps) + " steps in " +
             std::to_string(outcome.seconds) + " s; expected at most the " +
             std::to_string(order.steps) + " ordered and a time >= 0");
    }
    return outcome;
  }

  TrainingScore evaluate(HeldOut part) override {
    return guarded(object_->who(), "evaluate", [&] { return job().evaluate(part); });
  }

  void get_state(std::span<float> out) const override {
    expect_values(out.size());
    guarded(object_->who(), "get_state", [&] { job().get_state(out); });
  }

  void set_state(std::span<const float> values) override {
    expect_values(values.size());
    guarded(object_->who(), "set_state", [&] { job().set_state(values); });
  }

  TrainingCounters counters() const override {
    return guarded(object_->who(), "counters", [&] { return job().counters(); });
  }

  void set_counters(const TrainingCounters& counters) override {
    guarded(object_->who(), "set_counters", [&] { job().set_counters(counters); });
  }

 private:
  [[nodiscard]] TrainingJob& job() const { return object_->as<TrainingJob>(); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw PluginError(object_->who() + ": " + what);
  }

  void check_tensors(const std::vector<TrainingTensor>& tensors) {
    std::set<std::pair<TensorRole, std::string>> names;
    for (const TrainingTensor& tensor : tensors) {
      if (tensor.name.empty() || !names.emplace(tensor.role, tensor.name).second ||
          std::any_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t dimension) {
            return dimension < 0;
          })) {
        refuse("tensors answered '" + tensor.name +
               "' without a name, twice, or with a negative dimension; expected unique names and "
               "whole shapes");
      }
    }
    values_ = count_values(tensors);
    if (values_ == 0) {
      refuse("tensors answered no numbers at all; expected a model with state");
    }
  }

  void check_size(const TrainingSize& size) const {
    const auto above_zero = [](double value) { return std::isfinite(value) && value > 0.0; };
    if (!above_zero(size.flops_per_sample) || !above_zero(size.parameters) || size.batch == 0 ||
        size.train_samples == 0) {
      refuse("size answered zero or a number that is not finite; expected numbers above zero");
    }
  }

  void expect_values(std::size_t size) const {
    BERTH_CHECK(
        size == values_,
        "a state of " + std::to_string(size) + " numbers for a job of " + std::to_string(values_));
  }

  std::unique_ptr<PluginObject> object_;
  std::size_t values_ = 0;
};

}  // namespace

std::unique_ptr<TrainingJob> guard_training_job(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedTrainingJob>(std::move(object));
}

}  // namespace berth::internal
