// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "model_net.hpp"

namespace berth::training {
namespace {

using torch::Tensor;
using Shape = std::vector<std::int64_t>;

Tensor view_of(const float* values, Shape shape) {
  return torch::from_blob(const_cast<float*>(values), shape, torch::kFloat32);
}

Tensor view_of(const std::int64_t* values, Shape shape) {
  return torch::from_blob(const_cast<std::int64_t*>(values), shape, torch::kInt64);
}

/// The usual bound of a layer with so many inputs.
double bound_of(std::int64_t fan_in) {
  return 1.0 / std::sqrt(static_cast<double>(fan_in));
}

class Mlp final : public Model {
 public:
  explicit Mlp(const ModelShape& shape)
      : features_(shape.features), is_regression_(shape.classes == 0) {
    std::int64_t in = shape.features;
    for (std::int64_t layer = 0; layer <= shape.layers; ++layer) {
      const bool last = layer == shape.layers;
      const std::int64_t out =
          last ? (is_regression_ ? std::int64_t{1} : shape.classes) : shape.hidden;
      const std::string name = "linear" + std::to_string(layer);
      weights_.push_back(parameter(name + "/weight", {out, in}, bound_of(in)));
      biases_.push_back(parameter(name + "/bias", {out}, bound_of(in)));
      flops_ += 2.0 * static_cast<double>(in * out);
      in = out;
    }
  }

  Tensor forward(const NetBatch& batch, bool /*training*/) override {
    Tensor x = view_of(batch.features, {batch.rows, features_});
    for (std::size_t layer = 0; layer < weights_.size(); ++layer) {
      x = torch::linear(x, weights_[layer], biases_[layer]);
      x = layer + 1 < weights_.size() ? torch::relu(x) : x;
    }
    return is_regression_ ? x.squeeze(1) : x;
  }
  double flops_per_row() const override { return flops_; }

 private:
  std::int64_t features_;
  bool is_regression_;
  std::vector<Tensor> weights_;
  std::vector<Tensor> biases_;
  double flops_ = 0.0;
};

class Cnn final : public Model {
 public:
  explicit Cnn(const ModelShape& shape) : c_(shape.hidden), classes_(shape.classes) {
    const std::int64_t channels[3] = {1, c_, 2 * c_};
    for (int i = 0; i < 2; ++i) {
      const std::string name = "conv" + std::to_string(i);
      const std::int64_t in = channels[i];
      const std::int64_t out = channels[i + 1];
      Block& block = blocks_[i];
      block.weight = parameter(name + "/weight", {out, in, 3, 3}, bound_of(9 * in));
      block.scale = constant(name + "/norm/scale", {out}, 1.0);
      block.shift = constant(name + "/norm/shift", {out}, 0.0);
      block.mean = buffer(name + "/norm/mean", {out}, 0.0);
      block.variance = buffer(name + "/norm/variance", {out}, 1.0);
    }
    weight_ = parameter("linear/weight", {classes_, flat()}, bound_of(flat()));
    bias_ = parameter("linear/bias", {classes_}, bound_of(flat()));
  }

  Tensor forward(const NetBatch& batch, bool training) override {
    Tensor x = view_of(batch.features, {batch.rows, 1, 8, 8});
    for (Block& block : blocks_) {
      x = torch::conv2d(x, block.weight, /*bias=*/{}, /*stride=*/1, /*padding=*/1);
      x = torch::relu(torch::batch_norm(x,
                                        block.scale,
                                        block.shift,
                                        block.mean,
                                        block.variance,
                                        training,
                                        /*momentum=*/0.1,
                                        /*eps=*/1e-5,
                                        /*cudnn_enabled=*/false));
    }
    return torch::linear(torch::max_pool2d(x, 2).flatten(1), weight_, bias_);
  }
  double flops_per_row() const override {
    const auto c = static_cast<double>(c_);
    return 2.0 * 9.0 * 64.0 * (c + 2.0 * c * c) + 2.0 * static_cast<double>(flat() * classes_);
  }

 private:
  struct Block {
    Tensor weight, scale, shift, mean, variance;
  };
  std::int64_t flat() const { return 2 * c_ * 16; }

  std::int64_t c_;
  std::int64_t classes_;
  Block blocks_[2];
  Tensor weight_;
  Tensor bias_;
};

class Lstm final : public Model {
 public:
  explicit Lstm(const ModelShape& shape)
      : hidden_(shape.hidden), length_(shape.length), vocabulary_(shape.classes) {
    const double bound = bound_of(hidden_);
    embedding_ = parameter("embedding", {vocabulary_, hidden_}, 0.5);
    gates_ = {parameter("lstm/input", {4 * hidden_, hidden_}, bound),
              parameter("lstm/hidden", {4 * hidden_, hidden_}, bound),
              parameter("lstm/input_bias", {4 * hidden_}, bound),
              parameter("lstm/hidden_bias", {4 * hidden_}, bound)};
    weight_ = parameter("linear/weight", {vocabulary_, hidden_}, bound);
    bias_ = parameter("linear/bias", {vocabulary_}, bound);
  }

  Tensor forward(const NetBatch& batch, bool training) override {
    const Tensor x = torch::embedding(embedding_, view_of(batch.ids, {batch.rows, length_}));
    const Tensor start = torch::zeros({1, batch.rows, hidden_});
    const auto out = torch::lstm(x,
                                 {start, start},
                                 gates_,
                                 /*has_biases=*/true,
                                 /*num_layers=*/1,
                                 /*dropout=*/0.0,
                                 training,
                                 /*bidirectional=*/false,
                                 /*batch_first=*/true);
    return torch::linear(std::get<0>(out).reshape({-1, hidden_}), weight_, bias_);
  }
  double flops_per_row() const override {
    const auto h = static_cast<double>(hidden_);
    return static_cast<double>(length_) *
           (2.0 * 8.0 * h * h + 2.0 * h * static_cast<double>(vocabulary_));
  }
  std::int64_t targets_per_row() const override { return length_; }

 private:
  std::int64_t hidden_;
  std::int64_t length_;
  std::int64_t vocabulary_;
  Tensor embedding_;
  std::vector<Tensor> gates_;
  Tensor weight_;
  Tensor bias_;
};

class Factors final : public Model {
 public:
  explicit Factors(const ModelShape& shape) : rank_(shape.hidden) {
    const double bound = bound_of(4 * rank_);
    user_ = parameter("user/factors", {shape.users, rank_}, bound);
    item_ = parameter("item/factors", {shape.items, rank_}, bound);
    user_bias_ = constant("user/bias", {shape.users}, 0.0);
    item_bias_ = constant("item/bias", {shape.items}, 0.0);
  }

  Tensor forward(const NetBatch& batch, bool /*training*/) override {
    const Tensor ids = view_of(batch.ids, {batch.rows, 2});
    const Tensor user = ids.select(1, 0);
    const Tensor item = ids.select(1, 1);
    return (torch::embedding(user_, user) * torch::embedding(item_, item)).sum(1) +
           user_bias_.index_select(0, user) + item_bias_.index_select(0, item);
  }
  double flops_per_row() const override { return 2.0 * static_cast<double>(rank_) + 2.0; }

 private:
  std::int64_t rank_;
  Tensor user_, item_, user_bias_, item_bias_;
};

}  // namespace

torch::Tensor Model::parameter(std::string name, Shape shape, double bound) {
  parameters.push_back({std::move(name), torch::zeros(shape).set_requires_grad(true), 0.0, bound});
  return parameters.back().tensor;
}

torch::Tensor Model::constant(std::string name, Shape shape, double value) {
  parameters.push_back(
      {std::move(name), torch::full(shape, value).set_requires_grad(true), value, 0.0});
  return parameters.back().tensor;
}

torch::Tensor Model::buffer(std::string name, Shape shape, double value) {
  buffers.push_back({std::move(name), torch::full(shape, value), value, 0.0});
  return buffers.back().tensor;
}

std::unique_ptr<Model> make_model(const ModelShape& shape) {
  switch (shape.kind) {
    case ModelKind::kMlp:
      return std::make_unique<Mlp>(shape);
    case ModelKind::kCnn:
      return std::make_unique<Cnn>(shape);
    case ModelKind::kLstm:
      return std::make_unique<Lstm>(shape);
    default:
      return std::make_unique<Factors>(shape);
  }
}

}  // namespace berth::training
