// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace berth::training {

enum class ModelKind : std::uint8_t {
  kMlp,      ///< Linear layers with ReLU between; classes or one number.
  kCnn,      ///< Two 3x3 convolutions with batch normalisation on 8x8 images, pooling, linear.
  kLstm,     ///< Embedding, one LSTM layer, linear: the next token.
  kFactors,  ///< Matrix factorisation with biases: one number for a user and an item.
};

struct ModelShape {
  ModelKind kind = ModelKind::kMlp;
  std::int64_t features = 0;  ///< Numbers of a row (kMlp).
  std::int64_t classes = 0;   ///< Of a label; 0: the target is a number.
  std::int64_t hidden = 0;    ///< Width; channels of the first convolution; rank of the factors.
  std::int64_t layers = 1;    ///< Hidden layers (kMlp).
  std::int64_t length = 1;    ///< Tokens of a row (kLstm).
  std::int64_t users = 0;
  std::int64_t items = 0;
  double target_mean = 0.0;  ///< A number is predicted as mean + scale * output.
  double target_scale = 1.0;
};

struct OptimizerSettings {
  bool adam = true;           ///< Adam (Kingma and Ba 2015); else SGD with momentum.
  double momentum = 0.9;      ///< Of SGD; Adam's first moment.
  double weight_decay = 0.0;  ///< Added to the gradient as decay * weight.
};

/// A tensor of the state: 0 parameter, 1 buffer, 2 optimizer. Starts uniform in
/// value -bound .. value + bound.
struct NetTensor {
  std::string name;
  int role = 0;
  std::vector<std::int64_t> shape;
  double value = 0.0;
  double bound = 0.0;
};

/// Rows in memory; what the model does not use is null.
struct NetBatch {
  std::int64_t rows = 0;
  const float* features = nullptr;       ///< [rows, features]
  const std::int64_t* ids = nullptr;     ///< [rows, 2] user, item; or [rows, length] tokens
  const float* values = nullptr;         ///< [rows]
  const std::int64_t* labels = nullptr;  ///< [rows], or [rows, length]
};

/// Sums over the targets of a batch.
struct NetScore {
  double targets = 0.0;
  double loss = 0.0;           ///< Cross entropy in nats, or squared error / target_scale^2.
  double correct = 0.0;        ///< Classes alone.
  double squared_error = 0.0;  ///< Numbers alone.
};

/// A model and its optimizer. LibTorch stays behind this class; C++17. All state is float32.
class TrainingNet {
 public:
  TrainingNet(const ModelShape& shape, const OptimizerSettings& optimizer);
  ~TrainingNet();

  /// Threads of every net of the process.
  static void use_threads(int threads);

  /// Parameters, buffers, optimizer, in the order of get() and set().
  const std::vector<NetTensor>& tensors() const;
  /// Forward and backward of one row.
  double flops_per_row() const;

  /// One optimizer step. @param number Counts from 1 since the moments were zero.
  /// @return mean loss of the batch before the step.
  double step(const NetBatch& batch, double learning_rate, std::uint64_t number);
  NetScore evaluate(const NetBatch& batch) const;

  void get(float* out) const;
  void set(const float* values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace berth::training
