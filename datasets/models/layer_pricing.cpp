// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "layer_pricing.hpp"

#include <algorithm>

namespace berth::datasets {
namespace {

constexpr double kElement = 2.0;  // bytes of an activation

// Sizes that all kernels of one layer share.
struct Share {
  double tokens;    // of one device
  double sequence;  // whole
  double batch;
  double hidden;
  double t;
  double sp;  // what divides norms and residuals
  double kv_width;
  double head_in;   // width of queries and keys
  double head_out;  // of values
  double heads;     // of one device

  Share(const Transformer& m, const Degrees& degrees)
      : tokens(double{1} * degrees.micro_batch * m.sequence / degrees.context),
        sequence(m.sequence),
        batch(degrees.micro_batch),
        hidden(m.hidden),
        t(degrees.tensor),
        sp(degrees.sequence_parallel ? degrees.tensor : 1.0),
        kv_width(double{1} * std::max(m.kv_heads, degrees.tensor) * m.head),
        head_in(m.head),
        head_out(m.head),
        heads(m.heads / t) {
    if (m.latent.key_value_rank > 0) {
      head_in = m.latent.nope_head + m.latent.rope_head;
      head_out = m.latent.value_head;
    }
  }
};

// The part of attention that selective recomputation repeats: scores, softmax, values.
double attention_core(const Share& s, const Roofline& roofline, bool flash) {
  const double groups = s.heads * s.batch;
  const double rows = s.tokens / s.batch;
  if (flash) {
    const double moved = kElement * groups * (rows + s.sequence) * (s.head_in + s.head_out);
    return std::max(roofline.product(rows, s.sequence, s.head_in + s.head_out, groups),
                    roofline.vector(moved));
  }
  const double scores = groups * rows * s.sequence;
  return roofline.product(rows, s.sequence, s.head_in, groups) +
         roofline.product(rows, s.head_out, s.sequence, groups) +
         2.0 * roofline.vector(6.0 * scores);
}

double attention_products(const Transformer& m, const Share& s, const Roofline& roofline) {
  if (m.latent.key_value_rank > 0) {
    const LatentAttention& a = m.latent;
    return roofline.product(s.tokens, a.query_rank, s.hidden) +
           roofline.product(s.tokens, s.heads * s.head_in, a.query_rank) +
           roofline.product(s.tokens, a.key_value_rank + a.rope_head, s.hidden) +
           roofline.product(s.tokens, s.heads * (a.nope_head + a.value_head), a.key_value_rank) +
           roofline.product(s.tokens, s.hidden, s.heads * s.head_out);
  }
  const double width = s.heads * s.head_in + 2.0 * s.kv_width / s.t;
  return roofline.product(s.tokens, width, s.hidden) +
         roofline.product(s.tokens, s.hidden, s.heads * s.head_in);
}

double feed_forward(const Transformer& m,
                    const Share& s,
                    const Roofline& roofline,
                    double tokens,
                    double inner,
                    double copies) {
  const double first = m.gated ? 2.0 * inner : inner;
  return copies * (roofline.product(tokens / copies, first / s.t, s.hidden) +
                   roofline.product(tokens / copies, s.hidden, inner / s.t)) +
         roofline.vector(kElement * tokens * (first + inner) / s.t);
}

bool is_moe(const Transformer& m, std::uint32_t index) {
  return m.experts.experts > 0 && index >= m.experts.dense_layers;
}

double feed_forward_forward(const Transformer& m,
                            std::uint32_t index,
                            const Share& s,
                            const Degrees& degrees,
                            const Roofline& roofline) {
  if (!is_moe(m, index)) {
    return feed_forward(m, s, roofline, s.tokens, m.feed_forward, 1.0);
  }
  const Experts& e = m.experts;
  double total = roofline.product(s.tokens, e.experts, s.hidden);
  const double local = std::max(1.0, double{1} * e.experts / degrees.expert);
  total += feed_forward(m, s, roofline, s.tokens * e.active, e.hidden, local);
  if (e.shared > 0) {
    total += feed_forward(m, s, roofline, s.tokens, double{1} * e.shared * e.hidden, 1.0);
  }
  return total;
}

// Bytes kept for backward, without the scores of attention.
double saved_bytes(const Transformer& m, std::uint32_t index, const Share& s) {
  const double row = s.tokens * s.hidden;
  double bytes = 4.0 * kElement * row / s.sp;  // two norms and what they feed
  const double attention = m.latent.key_value_rank > 0
                               ? s.heads * (2.0 * s.head_in + s.head_out) +
                                     (m.latent.query_rank + m.latent.key_value_rank)
                               : s.heads * s.head_in + 2.0 * s.kv_width / s.t;
  bytes += kElement * s.tokens * (attention + s.heads * s.head_out);
  bytes += m.dropout ? 2.0 * row / s.sp : 0.0;  // masks, one byte each
  const double copies = m.gated ? 3.0 : 2.0;
  if (!is_moe(m, index)) {
    return bytes + copies * kElement * s.tokens * m.feed_forward / s.t;
  }
  const Experts& e = m.experts;
  bytes += kElement * s.tokens * e.active * (s.hidden + copies * e.hidden / s.t);
  return bytes + copies * kElement * s.tokens * e.shared * e.hidden / s.t;
}

double layer_collectives(const Transformer& m,
                         std::uint32_t index,
                         const Share& s,
                         const Degrees& degrees,
                         const InLayerCollectives& collectives) {
  const double row = kElement * s.tokens * s.hidden;
  double seconds = 0.0;
  if (degrees.tensor > 1) {
    seconds += degrees.sequence_parallel ? 4.0 * collectives.tensor_all_gather.seconds(row)
                                         : 2.0 * collectives.tensor_all_reduce.seconds(row);
  }
  if (degrees.expert > 1 && is_moe(m, index)) {
    seconds += 2.0 * collectives.expert_all_to_all.seconds(row * m.experts.active / s.t);
  }
  return seconds;
}

double context_ring(const Share& s, const Degrees& degrees, const InLayerCollectives& collectives) {
  if (degrees.context < 2) {
    return 0.0;
  }
  const double bytes = 2.0 * kElement * s.tokens * s.kv_width / s.t;
  return (degrees.context - 1.0) *
         (collectives.context_step.seconds + bytes * collectives.context_step.seconds_per_byte);
}

}  // namespace

LayerCost price_layer(const Transformer& model,
                      std::uint32_t index,
                      const Degrees& degrees,
                      const Roofline& roofline,
                      const InLayerCollectives& collectives,
                      const KernelChoices& kernels) {
  const Share s(model, degrees);
  const double row = kElement * s.tokens * s.hidden;
  const double core = attention_core(s, roofline, kernels.flash_attention);
  // Two norms and two residual additions (each reads and writes a row), rotation or bias of the
  // queries and keys.
  const double vectors = 4.0 * roofline.vector(2.0 * row / s.sp) +
                         roofline.vector(2.0 * kElement * s.tokens * s.heads * 2.0 * s.head_in);
  const double kernels_seconds = attention_products(model, s, roofline) + core + vectors +
                                 feed_forward_forward(model, index, s, degrees, roofline);
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
  return cost;
}

LayerCost price_embedding(const Transformer& model,
                          const Degrees& degrees,
                          const Roofline& roofline,
                          const InLayerCollectives& collectives) {
  const Share s(model, degrees);
  const double row = kElement * s.tokens * s.hidden;
  LayerCost cost;
  const double lookup = roofline.vector(row);
  const double traffic = degrees.tensor > 1 ? collectives.tensor_all_reduce.seconds(row) : 0.0;
  cost.forward_seconds = lookup + traffic;
  cost.backward_seconds = 2.0 * lookup;
  if (model.patch_parameters > 0.0) {
    const double patch = roofline.product(s.tokens, s.hidden, model.patch_parameters / s.hidden);
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
  return cost;
}

LayerCost price_head(const Transformer& model,
                     const Degrees& degrees,
                     const Roofline& roofline,
                     const InLayerCollectives& collectives) {
  const Share s(model, degrees);
  const double row = kElement * s.tokens * s.hidden;
  const double outputs = model.classes > 0 ? model.classes : model.vocabulary / s.t;
  const double rows = model.classes > 0 ? s.batch : s.tokens;
  LayerCost cost;
  const double kernels = roofline.vector(2.0 * row / s.sp) +
                         roofline.product(rows, outputs, s.hidden) +
                         roofline.vector(2.0 * 4.0 * rows * outputs);
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
  return cost;
}

LayerCost price_block(const ConvolutionBlock& block,
                      std::uint32_t micro_batch,
                      const Roofline& roofline) {
  LayerCost cost;
  double saved = 0.0;
  double input = 0.0;
  for (const Convolution& convolution : block.convolutions) {
    const double rows = double{1} * micro_batch * convolution.pixels;
    const double written = kElement * rows * convolution.out;
    cost.forward_seconds += roofline.product(rows, convolution.out, convolution.in) +
                            2.0 * roofline.vector(2.0 * written);  // norm and activation
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
