// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "model.hpp"

#include <algorithm>

namespace berth::datasets {
namespace {

double norm(const Transformer& model, double width) {
  return model.norm_vectors * width;
}

// Weights of attention and, where there are biases, those of its products.
double attention(const Transformer& m) {
  const double h = m.hidden;
  const double q = double{1} * m.heads * m.head;
  const double kv = double{2} * m.kv_heads * m.head;
  const double bias = (m.biases || m.qkv_biases ? q + kv : 0.0) + (m.biases ? h : 0.0);
  return h * (q + kv) + q * h + bias;
}

double latent_attention(const Transformer& m) {
  const LatentAttention& a = m.latent;
  const double h = m.hidden;
  const double heads = m.heads;
  return h * a.query_rank + a.query_rank * heads * (a.nope_head + a.rope_head) +
         h * (a.key_value_rank + a.rope_head) +
         a.key_value_rank * heads * (a.nope_head + a.value_head) + heads * a.value_head * h;
}

double feed_forward(const Transformer& m, double inner) {
  const double matrices = m.gated ? 3.0 : 2.0;
  const double bias = m.biases ? (m.gated ? 2.0 : 1.0) * inner + m.hidden : 0.0;
  return matrices * m.hidden * inner + bias;
}

}  // namespace

LayerParameters layer_parameters(const Transformer& m, std::uint32_t index) {
  LayerParameters parameters;
  const bool latent = m.latent.key_value_rank > 0;
  parameters.sharded = latent ? latent_attention(m) : attention(m);
  parameters.replicated = 2.0 * norm(m, m.hidden);
  if (latent) {
    parameters.replicated += m.latent.query_rank + m.latent.key_value_rank;
  }
  const bool moe = m.experts.experts > 0 && index >= m.experts.dense_layers;
  if (!moe) {
    parameters.sharded += feed_forward(m, m.feed_forward);
    return parameters;
  }
  parameters.experts = m.experts.experts * feed_forward(m, m.experts.hidden);
  parameters.sharded += m.experts.shared * feed_forward(m, m.experts.hidden);
  parameters.replicated += double{1} * m.experts.experts * m.hidden;  // router
  return parameters;
}

double embedding_parameters(const Transformer& m) {
  const double rows = double{1} * m.vocabulary + m.positions + m.token_types;
  return rows * m.hidden + m.patch_parameters;
}

double head_parameters(const Transformer& m) {
  const double matrix = m.tied ? 0.0 : double{1} * m.vocabulary * m.hidden;
  const double classifier = m.classes == 0 ? 0.0 : (m.hidden + 1.0) * m.classes;
  return matrix + classifier + norm(m, m.hidden) + m.extra_parameters;
}

double parameter_count(const Model& model) {
  double total = 0.0;
  if (!model.is_transformer()) {
    for (const ConvolutionBlock& block : model.blocks) {
      total += block.norm_parameters;
      for (const Convolution& convolution : block.convolutions) {
        total += double{1} * convolution.in * convolution.out;
      }
    }
    return total;
  }
  const Transformer& m = model.transformer;
  for (std::uint32_t index = 0; index < m.layers; ++index) {
    const LayerParameters layer = layer_parameters(m, index);
    total += layer.sharded + layer.replicated + layer.experts;
  }
  return total + embedding_parameters(m) + head_parameters(m);
}

}  // namespace berth::datasets
