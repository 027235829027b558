// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net_graph.hpp"
#include "parameter_layout.hpp"

namespace berth::learned {

/// A network that gives logits over devices for one op after the other. C++17: LibTorch stays
/// behind it. Stateless; concurrent calls are safe.
class PlacementNet {
 public:
  /// One reading of a graph with one set of weights. Serves one thread.
  class Pass {
   public:
    virtual ~Pass() = default;
    /// Logits [count, devices] of steps first .. first+count-1.
    /// @param device [ops] by step; read for steps before first+count-1. A pass without gradient
    /// takes the steps of an episode in order.
    virtual std::vector<float> logits(const std::vector<std::uint32_t>& device,
                                      std::size_t first,
                                      std::size_t count) = 0;
    /// Takes the derivative of a loss by the result of the last logits().
    virtual void backward(const std::vector<float>& dlogits) = 0;
    /// Adds the gradient by the weights, over all calls of backward(), to `out` [layout.size()].
    virtual void add_gradient(float* out) const = 0;
  };

  virtual ~PlacementNet() = default;
  virtual const doppler::ParameterLayout& layout() const = 0;
  /// Whether a step's logits depend on where earlier ops were put.
  virtual bool sees_placement() const = 0;
  /// Steps that logits() may take at once for a graph of that size.
  virtual std::size_t steps_at_once(std::size_t ops) const = 0;
  /// `graph` and `weights` must outlive the pass.
  virtual std::unique_ptr<Pass> start(const NetGraph& graph,
                                      const float* weights,
                                      bool with_gradient) const = 0;
};

}  // namespace berth::learned
