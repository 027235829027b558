// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "head_weights.hpp"
#include "problem_view.hpp"
#include "set_normaliser.hpp"
#include "tables.hpp"

namespace berth::doppler {

/// SEL's logits over the candidates. Without per-step normalisation an op's logit does not depend
/// on the others and is read from a table. Allocates nothing after its largest set so far.
class SelHead {
 public:
  SelHead(const Architecture& architecture,
          const HeadWeights& weights,
          const Tables& tables,
          const ProblemView& view);

  /// @return [candidates]
  std::span<const float> logits(std::span<const std::uint32_t> candidates);

  /// Gradients of the weights used by the heads with normalisation.
  struct Gradient {
    explicit Gradient(const HeadWeights& weights);
    LinearGradient own, own_block, b_block, t_block;
    std::vector<float> own_bias, output;
    float output_bias = 0.0F;
  };

  /// Adds the derivative given that by the logits of the last logits() call with `candidates`.
  /// @param weights null where there is no normalisation.
  void backward(std::span<const std::uint32_t> candidates,
                std::span<const float> dlogits,
                Tables& tables,
                Gradient* weights);

 private:
  void logits_of_set(std::span<const std::uint32_t> candidates);

  const Architecture* architecture_;
  const HeadWeights* weights_;
  const Tables* tables_;
  const ProblemView* view_;
  SetNormaliser b_normaliser_, t_normaliser_;
  std::vector<float> logits_, features_, own_raw_, own_, gathered_, b_, t_, hidden_raw_, hidden_;
  std::vector<float> dhidden_, dsource_, dgathered_;
};

}  // namespace berth::doppler
