// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/types.h>

#include "training_net.hpp"

namespace berth::training {

/// A model's tensors and its forward pass.
class Model {
 public:
  struct Part {
    std::string name;
    torch::Tensor tensor;
    double value;
    double bound;
  };

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// @return [targets, classes] logits, or [targets] predictions in units of the target's scale.
  virtual torch::Tensor forward(const NetBatch& batch, bool training) = 0;
  virtual double flops_per_row() const = 0;  // forward alone
  virtual std::int64_t targets_per_row() const { return 1; }

  std::vector<Part> parameters;
  std::vector<Part> buffers;

 protected:
  torch::Tensor parameter(std::string name, std::vector<std::int64_t> shape, double bound);
  torch::Tensor constant(std::string name, std::vector<std::int64_t> shape, double value);
  torch::Tensor buffer(std::string name, std::vector<std::int64_t> shape, double value);
};

std::unique_ptr<Model> make_model(const ModelShape& shape);

}  // namespace berth::training
