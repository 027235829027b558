// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "layer_pricing.hpp"

#include <algorithm>

namespace berth::datasets {
namespace {

constexpr double kElement = 2.0;  // bytes of an activation

// Bytes kept for backward, without the scores of attention.
double saved_bytes(const Transformer& m, std::uint32_t index, const KernelSizes& s) {
  const double row = s.tokens * s.hidden;
  double bytes = 4.0 * kElement * row / s.sp;  // two norms and what they feed
  const double attention = m.latent.key_value_rank > 0
                               ? s.heads * (2.0 * s.head_in + s.head_out) +
                                     (m.latent.query_rank + m.latent.key_value_rank)
                               : s.heads * s.head_in + 2.0 * s.kv_width / s.t;
  bytes += kElement * s.tokens * (attention + s.heads * s.head_out);
  bytes += m.dropout ? 2.0 * row / s.sp : 0.0;  // masks, one byte each
  const double copies = m.gated ? 3.0 : 2.0;
  if (!has_experts(m, index)) {
    return bytes + copies * kElement * s.tokens * m.feed_forward / s.t;
  }
  const Experts& e = m.experts;
  bytes += kElement * s.tokens * e.active * (s.hidden + copies * e.hidden / s.t);
  return bytes + copies * kElement * s.tokens * e.shared * e.hidden / s.t;
}

double layer_collectives(const Transformer& m,
                         std::uint32_t index,
                         const KernelSizes& s,
                         const Degrees& degrees,
                         const InLayerCollectives& collectives) {
  const double row = kElement * s.tokens * s.hidden;
  double seconds = 0.0;
  if (degrees.tensor > 1) {
    seconds += degrees.sequence_parallel ? 4.0 * collectives.tensor_all_gather.seconds(row)
                                         : 2.0 * collectives.tensor_all_reduce.seconds(row);
  }
  if (degrees.expert > 1 && has_experts(m, index)) {
    seconds += 2.0 * collectives.expert_all_to_all.seconds(row * m.experts.active / s.t);
  }
  return seconds;
}

double context_ring(const KernelSizes& s,
                    const Degrees& degrees,
                    const InLayerCollectives& collectives) {
  if (degrees.context < 2) {
    return 0.0;
  }
  const double bytes = 2.0 * kElement * s.tokens * s.kv_width / s.t;
  return (degrees.context - 1.0) *
         (collectives.context_step.seconds + bytes * collectives.context_step.seconds_per_byte);
}

double seconds_of(const std::vector<Kernel>& kernels, const KernelTimes& times) {
  double sum = 0.0;
  for (const Kernel& kernel : kernels) {
    sum += kernel.seconds(times);
  }
  return sum;
}

// A layer that was measured whole. Its share of selective recomputation stays the model's.
void use_profile(LayerCost& cost,
                 std::string_view layer,
                 const Degrees& degrees,
                 const KernelTimes& kernels) {
  if (kernels.profile() == nullptr) {
    return;
  }
  if (const auto measured = kernels.profile()->layer(kernels.device(), layer, degrees)) {
    cost.forward_seconds = measured->forward;
    cost.backward_seconds = measured->backward;
    cost.recompute_seconds[1] = std::min(cost.recompute_seconds[1], measured->forward);
    cost.recompute_seconds[2] = measured->forward;
  }
}

}  // namespace

LayerCost price_layer(const Transformer& model,
                      std::uint32_t index,
                      const Degrees& degrees,
                      const KernelTimes& times,
                      const InLayerCollectives& collectives,
                      const KernelChoices& kernels) {
  const KernelSizes s(model, degrees);
  const double row = kElement * s.tokens * s.hidden;
  double kernels_seconds = 0.0;
  double core = 0.0;
  for (const Kernel& kernel : layer_kernels(model, index, degrees, kernels)) {
    const double seconds = kernel.seconds(times);
    kernels_seconds += seconds;
    core += kernel.attention_core ? seconds : 0.0;
  }
  const double traffic = layer_collectives(model, index, s, degrees, collectives);
  const double ring = context_ring(s, degrees, collectives);

  LayerCost cost;
  cost.forward_seconds = kernels_seconds + traffic + ring;
  cost.backward_seconds = 2.0 * kernels_seconds + traffic + 2.0 * ring;
  const LayerParameters parameters = layer_parameters(model, index);
  // Key and value heads fewer than tensor ranks are copied.
  const double copied =
      model.latent.key_value_rank > 0 || model.kv_heads >= degrees.tensor
          ? 0.0
          : 2.0 * s.hidden * model.head * (degrees.tensor - double{1} * model.kv_heads);
  cost.dense_parameters = (parameters.sharded + copied) / s.t + parameters.replicated;
  cost.expert_parameters = parameters.experts / s.t / degrees.expert;

  const double scores =
      kernels.flash_attention ? 0.0 : 5.0 * s.heads * s.tokens * s.sequence;  // softmax, masks
  const double rest = saved_bytes(model, index, s);
  const double input = row / s.sp;
  cost.saved_bytes = {rest + scores, rest, input};
  cost.recompute_seconds = {0.0, core + ring, cost.forward_seconds};
  cost.work_bytes = {0.0, scores, rest + scores};
  use_profile(cost,
              has_experts(model, index) || model.experts.experts == 0 ? "layer" : "dense-layer",
              degrees,
              times);
  return cost;
}

LayerCost price_embedding(const Transformer& model,
                          const Degrees& degrees,
                          const KernelTimes& times,
                          const InLayerCollectives& collectives) {
  const KernelSizes s(model, degrees);
  const double row = kElement * s.tokens * s.hidden;
  LayerCost cost;
  const double lookup = times.vector(row);
  const double traffic = degrees.tensor > 1 ? collectives.tensor_all_reduce.seconds(row) : 0.0;
  cost.forward_seconds = lookup + traffic;
  cost.backward_seconds = 2.0 * lookup;
  if (model.patch_parameters > 0.0) {
    const double patch = times.product(s.tokens, s.hidden, model.patch_parameters / s.hidden);
    cost.forward_seconds += patch;
    cost.backward_seconds += patch;  // no gradient of the pixels
  }
  const double rows = double{1} * model.positions + model.token_types;
  cost.dense_parameters = double{1} * model.vocabulary * model.hidden / s.t + rows * model.hidden +
                          model.patch_parameters;
  const double saved = model.dropout ? s.tokens * s.hidden / s.sp : 0.0;
  cost.saved_bytes = {saved, saved, 4.0 * s.tokens};
  cost.recompute_seconds = {0.0, 0.0, cost.forward_seconds};
  cost.work_bytes = {0.0, 0.0, saved};
  use_profile(cost, "embedding", degrees, times);
  return cost;
}

LayerCost price_head(const Transformer& model,
                     const Degrees& degrees,
                     const KernelTimes& times,
                     const InLayerCollectives& collectives) {
  const KernelSizes s(model, degrees);
  const double row = kElement * s.tokens * s.hidden;
  const double outputs = model.classes > 0 ? model.classes : model.vocabulary / s.t;
  const double rows = model.classes > 0 ? s.batch : s.tokens;
  LayerCost cost;
  const double kernels = seconds_of(head_kernels(model, degrees), times);
  cost.forward_seconds = kernels;
  cost.backward_seconds = 2.0 * kernels;
  if (degrees.tensor > 1) {
    cost.backward_seconds += degrees.sequence_parallel
                                 ? 2.0 * collectives.tensor_all_gather.seconds(row)
                                 : collectives.tensor_all_reduce.seconds(row);
  }
  // A tied matrix is held here too; StrategyConfiguration::tied_parameters says so.
  const double matrix = model.classes > 0 ? 0.0 : double{1} * model.vocabulary * model.hidden / s.t;
  cost.dense_parameters =
      head_parameters(model) -
      (model.tied || model.classes > 0 ? 0.0 : double{1} * model.vocabulary * model.hidden) +
      matrix;
  const double saved = 2.0 * row / s.sp;
  const double logits = 4.0 * rows * outputs;
  cost.saved_bytes = {saved, saved, row / s.sp};
  cost.recompute_seconds = {0.0, 0.0, cost.forward_seconds};
  cost.work_bytes = {logits, logits, logits + saved};
  use_profile(cost, "head", degrees, times);
  return cost;
}

LayerCost price_block(const ConvolutionBlock& block,
                      std::uint32_t micro_batch,
                      const KernelTimes& times) {
  LayerCost cost;
  double saved = 0.0;
  double input = 0.0;
  for (const Convolution& convolution : block.convolutions) {
    const double rows = double{1} * micro_batch * convolution.pixels;
    const double written = kElement * rows * convolution.out;
    cost.forward_seconds += times.product(rows, convolution.out, convolution.in) +
                            2.0 * times.vector(2.0 * written);  // norm and activation
    cost.dense_parameters += double{1} * convolution.in * convolution.out;
    saved += kElement * micro_batch * convolution.input_elements + written;
    input = std::max(input, kElement * micro_batch * convolution.input_elements);
  }
  cost.backward_seconds = 2.0 * cost.forward_seconds;
  cost.dense_parameters += block.norm_parameters;
  cost.saved_bytes = {saved, saved, input};
  cost.recompute_seconds = {0.0, 0.0, cost.forward_seconds};
  cost.work_bytes = {0.0, 0.0, saved};
  return cost;
}

}  // namespace berth::datasets
