// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model_net.hpp"
#include "training_net.hpp"

namespace berth::training {
namespace {

using torch::Tensor;

constexpr double kSecondMoment = 0.999;  // beta_2 and epsilon of Kingma and Ba
constexpr double kEpsilon = 1e-8;

enum Role : int { kParameter = 0, kBuffer = 1, kOptimizer = 2 };

}  // namespace

struct TrainingNet::State {
  ModelShape shape;
  OptimizerSettings optimizer;
  std::unique_ptr<Model> model;
  std::vector<Tensor> parameters;
  std::vector<std::vector<float>> first;   // per parameter: momentum, or first moment
  std::vector<std::vector<float>> second;  // Adam alone
  std::vector<NetTensor> tensors;

  /// Calls visit(values, count) for every tensor in the order of `tensors`.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto* parts : {&model->parameters, &model->buffers}) {
      for (Model::Part& part : *parts) {
        visit(part.tensor.data_ptr<float>(), static_cast<std::size_t>(part.tensor.numel()));
      }
    }
    for (auto* moments : {&first, &second}) {
      for (std::vector<float>& moment : *moments) {
        visit(moment.data(), moment.size());
      }
    }
  }

  Tensor targets(const NetBatch& batch) const {
    const std::int64_t count = batch.rows * model->targets_per_row();
    if (shape.classes > 0) {
      return torch::from_blob(const_cast<std::int64_t*>(batch.labels), {count}, torch::kInt64);
    }
    const Tensor values =
        torch::from_blob(const_cast<float*>(batch.values), {count}, torch::kFloat32);
    return (values - shape.target_mean) / shape.target_scale;
  }

  Tensor loss(const Tensor& output, const Tensor& target, std::int64_t reduction) const {
    return shape.classes > 0 ? torch::cross_entropy_loss(output, target, {}, reduction)
                             : torch::mse_loss(output, target, reduction);
  }

  void update(std::size_t i, const Tensor& gradient, double learning_rate, std::uint64_t number) {
    const Tensor dense = gradient.contiguous();
    const float* g = dense.data_ptr<float>();
    float* w = parameters[i].data_ptr<float>();
    float* m = first[i].data();
    const std::size_t count = first[i].size();
    const auto decay = static_cast<float>(optimizer.weight_decay);
    const auto beta = static_cast<float>(optimizer.momentum);
    if (!optimizer.adam) {
      const auto rate = static_cast<float>(learning_rate);
      for (std::size_t k = 0; k < count; ++k) {
        m[k] = beta * m[k] + g[k] + decay * w[k];
        w[k] -= rate * m[k];
      }
      return;
    }
    const auto steps = static_cast<double>(number);
    const double correction2 = 1.0 - std::pow(kSecondMoment, steps);
    const auto rate =
        static_cast<float>(learning_rate / (1.0 - std::pow(optimizer.momentum, steps)));
    const auto scale = static_cast<float>(1.0 / std::sqrt(correction2));
    const auto beta2 = static_cast<float>(kSecondMoment);
    const auto epsilon = static_cast<float>(kEpsilon);
    float* v = second[i].data();
    for (std::size_t k = 0; k < count; ++k) {
      const float gradient_k = g[k] + decay * w[k];
      m[k] = beta * m[k] + (1.0F - beta) * gradient_k;
      v[k] = beta2 * v[k] + (1.0F - beta2) * gradient_k * gradient_k;
      w[k] -= rate * m[k] / (std::sqrt(v[k]) * scale + epsilon);
    }
  }
};

TrainingNet::TrainingNet(const ModelShape& shape, const OptimizerSettings& optimizer)
    : state_(new State{shape, optimizer, make_model(shape), {}, {}, {}, {}}) {
  State& state = *state_;
  const auto list = [&state](const Model::Part& part, Role role, const std::string& suffix) {
    const auto sizes = part.tensor.sizes();
    const bool starts = role != kOptimizer;
    state.tensors.push_back({part.name + suffix,
                             role,
                             {sizes.begin(), sizes.end()},
                             starts ? part.value : 0.0,
                             starts ? part.bound : 0.0});
  };
  for (const Model::Part& part : state.model->parameters) {
    list(part, kParameter, "");
    state.parameters.push_back(part.tensor);
    state.first.emplace_back(static_cast<std::size_t>(part.tensor.numel()), 0.0F);
  }
  for (const Model::Part& part : state.model->buffers) {
    list(part, kBuffer, "");
  }
  for (const Model::Part& part : state.model->parameters) {
    list(part, kOptimizer, optimizer.adam ? "/first" : "/momentum");
  }
  if (optimizer.adam) {
    state.second = state.first;
    for (const Model::Part& part : state.model->parameters) {
      list(part, kOptimizer, "/second");
    }
  }
}

TrainingNet::~TrainingNet() = default;

void TrainingNet::use_threads(int threads) {
  at::set_num_threads(threads);
}

const std::vector<NetTensor>& TrainingNet::tensors() const {
  return state_->tensors;
}

double TrainingNet::flops_per_row() const {
  return 3.0 * state_->model->flops_per_row();  // backward: by weights and by inputs
}

double TrainingNet::step(const NetBatch& batch, double learning_rate, std::uint64_t number) {
  State& state = *state_;
  const Tensor output = state.model->forward(batch, /*training=*/true);
  const Tensor loss = state.loss(output, state.targets(batch), at::Reduction::Mean);
  const auto gradients = torch::autograd::grad({loss}, state.parameters);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    state.update(i, gradients[i], learning_rate, number);
  }
  return loss.item<double>();
}

NetScore TrainingNet::evaluate(const NetBatch& batch) const {
  const State& state = *state_;
  const torch::NoGradGuard guard;
  const Tensor output = state.model->forward(batch, /*training=*/false);
  const Tensor target = state.targets(batch);
  NetScore score;
  score.targets = static_cast<double>(target.size(0));
  score.loss = state.loss(output, target, at::Reduction::Sum).item<double>();
  if (state.shape.classes > 0) {
    score.correct = output.argmax(1).eq(target).sum().item<double>();
  } else {
    score.squared_error = score.loss * state.shape.target_scale * state.shape.target_scale;
  }
  return score;
}

void TrainingNet::get(float* out) const {
  state_->for_each([&out](const float* values, std::size_t count) {
    std::copy(values, values + count, out);
    out += count;
  });
}

void TrainingNet::set(const float* values) {
  state_->for_each([&values](float* place, std::size_t count) {
    std::copy(values, values + count, place);
    values += count;
  });
}

}  // namespace berth::training
