// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a tensor of a job's state is for; copies of a job are merged by role.
enum class TensorRole : std::uint8_t {
  kParameter,  ///< Learned weights.
  kBuffer,     ///< Statistics that go with them, for example of batch normalisation.
  kOptimizer,  ///< Momentum and moments.
};

/// One named tensor of a job's state, float32.
struct TrainingTensor {
  std::string name;  ///< A path such as "conv1/weight", unique within its role.
  TensorRole role = TensorRole::kParameter;
  std::vector<std::int64_t> shape;

  bool operator==(const TrainingTensor&) const = default;
};

/// How large a job is, for estimates made before anything was measured.
struct TrainingSize {
  double flops_per_sample = 0.0;    ///< Forward and backward, > 0.
  double parameters = 0.0;          ///< Learned numbers, > 0.
  std::uint64_t batch = 1;          ///< Samples of a step, >= 1.
  std::uint64_t train_samples = 1;  ///< Samples of an epoch, >= 1.
};

/// Steps that a job has made, as two parts of it count them.
struct TrainingCounters {
  std::uint64_t schedule_steps = 0;   ///< Where the learning-rate schedule stands.
  std::uint64_t optimizer_steps = 0;  ///< Steps in the moments (Adam's bias correction).

  bool operator==(const TrainingCounters&) const = default;
};

/// An order to train. Step `first_step + i` always sees the same samples, whoever makes it.
struct TrainingOrder {
  std::uint64_t first_step = 0;
  std::uint64_t steps = 0;
  double seconds = 0.0;  ///< No step starts later than this after the call; 0: no limit.
};

/// What came of it.
struct TrainingOutcome {
  std::uint64_t steps = 0;  ///< Really done, at most those ordered.
  double seconds = 0.0;     ///< Wall time of the call.
  double mean_loss = 0.0;   ///< Over the steps done; 0 without steps.
};

/// Samples that training never sees.
enum class HeldOut : std::uint8_t {
  kValidation,  ///< For decisions during training, for example weights of a merge.
  kTest,        ///< For results alone.
};

/// How good a model is on held-out samples.
struct TrainingScore {
  std::string metric;  ///< "accuracy", "RMSE", "perplexity".
  double value = 0.0;
  bool larger_is_better = false;
  double loss = 0.0;  ///< Mean training objective on the same samples, smaller is better.
};

/// A model in training: `berth.training_job/1`. Made with a seed, the same job starts from the same
/// weights on every machine of one kind; used by one thread at a time.
class BERTH_API TrainingJob {
 public:
  static constexpr std::string_view kInterface = "berth.training_job/1";

  TrainingJob() = default;
  TrainingJob(const TrainingJob&) = delete;
  TrainingJob& operator=(const TrainingJob&) = delete;
  virtual ~TrainingJob();

  [[nodiscard]] virtual TrainingSize size() const = 0;

  /// The state, tensor by tensor, in the order in which get_state() packs them. Never changes.
  [[nodiscard]] virtual std::vector<TrainingTensor> tensors() const = 0;

  /// Trains. Deterministic given state, counters and order where the order has no time limit.
  virtual TrainingOutcome train(const TrainingOrder& order) = 0;

  /// Changes neither state nor counters.
  [[nodiscard]] virtual TrainingScore evaluate(HeldOut part) = 0;

  /// @param out, values [number of values of all tensors()], each tensor in row-major order.
  virtual void get_state(std::span<float> out) const = 0;
  virtual void set_state(std::span<const float> values) = 0;

  [[nodiscard]] virtual TrainingCounters counters() const = 0;
  virtual void set_counters(const TrainingCounters& counters) = 0;
};

/// Numbers in one tensor.
[[nodiscard]] BERTH_API std::size_t count_values(const TrainingTensor& tensor);
/// Numbers in all tensors: the length of a packed state.
[[nodiscard]] BERTH_API std::size_t count_values(std::span<const TrainingTensor> tensors);

}  // namespace abi_v1
}  // namespace berth
