// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "architecture.hpp"
#include "encoder_input.hpp"
#include "parameter_layout.hpp"
#include "tables.hpp"

namespace berth::doppler {

/// The graph networks of SEL and PLC, with everything that is computed once for all rollouts
/// between two updates. LibTorch stays behind this class; C++17.
///
/// Stateless but for the layout: concurrent calls are safe.
class EncoderNet {
 public:
  EncoderNet(const Architecture& architecture, const ParameterLayout& layout);
  ~EncoderNet();
  EncoderNet(EncoderNet&&) noexcept;
  EncoderNet& operator=(EncoderNet&&) noexcept;

  /// A forward pass that remembers how it came about.
  class Tape {
   public:
    Tape();
    ~Tape();
    Tape(Tape&&) noexcept;
    Tape& operator=(Tape&&) noexcept;

    const Tables& tables() const;
    /// Adds to `out` [layout.size()] the gradient by the weights, given that by the tables.
    /// Once per tape.
    void backward(const Tables& gradient, float* out);

   private:
    friend class EncoderNet;
    struct State;
    std::unique_ptr<State> state_;
  };

  /// @param weights [layout.size()]
  Tables tables(const EncoderInput& input, const float* weights) const;
  Tape record(const EncoderInput& input, const float* weights) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace berth::doppler
