// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel_list.hpp"

#include <algorithm>

namespace berth::datasets {
namespace {

constexpr double kElement = 2.0;  // bytes of an activation

Kernel product(const char* name, double m, double n, double k, double count = 1.0) {
  Kernel kernel;
  kernel.name = name;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  kernel.count = count;
  kernel.output_bytes = kElement * m * n * count;
  return kernel;
}

Kernel vector(const char* name, double moved_bytes, double output_bytes) {
  Kernel kernel;
  kernel.name = name;
  kernel.moved_bytes = moved_bytes;
  kernel.output_bytes = output_bytes;
  return kernel;
}

Kernel at(KernelSite site, Kernel kernel) {
  kernel.site = site;
  return kernel;
}

Kernel core(Kernel kernel) {
  kernel.attention_core = true;
  return kernel;
}

// Scores, softmax, values.
void add_attention_core(std::vector<Kernel>& list, const KernelSizes& s, bool flash) {
  const double groups = s.heads * s.batch;
  const double rows = s.tokens / s.batch;
  const double output = kElement * groups * rows * s.head_out;
  if (flash) {
    Kernel fused = product("attention", rows, s.sequence, s.head_in + s.head_out, groups);
    fused.moved_bytes = kElement * groups * (rows + s.sequence) * (s.head_in + s.head_out);
    fused.output_bytes = output;
    list.push_back(core(at(KernelSite::kSeesContext, fused)));
    return;
  }
  const double scores = groups * rows * s.sequence;
  list.push_back(
      core(at(KernelSite::kSeesContext, product("scores", rows, s.sequence, s.head_in, groups))));
  list.push_back(core(vector("softmax", 6.0 * scores, kElement * scores)));
  list.push_back(core(vector("score-dropout", 6.0 * scores, kElement * scores)));
  list.push_back(core(product("values", rows, s.head_out, s.sequence, groups)));
}

void add_projections(std::vector<Kernel>& list, const Transformer& m, const KernelSizes& s) {
  if (m.latent.key_value_rank > 0) {
    const LatentAttention& a = m.latent;
    list.push_back(
        at(KernelSite::kGathersSequence, product("query-down", s.tokens, a.query_rank, s.hidden)));
    list.push_back(product("query-up", s.tokens, s.heads * s.head_in, a.query_rank));
    list.push_back(product("key-value-down", s.tokens, a.key_value_rank + a.rope_head, s.hidden));
    list.push_back(product(
        "key-value-up", s.tokens, s.heads * (a.nope_head + a.value_head), a.key_value_rank));
    return;
  }
  const double width = s.heads * s.head_in + 2.0 * s.kv_width / s.t;
  list.push_back(
      at(KernelSite::kGathersSequence, product("query-key-value", s.tokens, width, s.hidden)));
}

void add_feed_forward(std::vector<Kernel>& list,
                      const Transformer& m,
                      const KernelSizes& s,
                      double tokens,
                      double inner,
                      double copies,
                      bool experts) {
  const double first = m.gated ? 2.0 * inner : inner;
  Kernel up = product(experts ? "expert-up" : "up", tokens / copies, first / s.t, s.hidden);
  up.site = experts ? KernelSite::kDispatches : KernelSite::kGathersSequence;
  up.copies = copies;
  up.output_bytes *= copies;
  list.push_back(up);
  list.push_back(vector(experts ? "expert-activation" : "activation",
                        kElement * tokens * (first + inner) / s.t,
                        kElement * tokens * inner / s.t));
  Kernel down = product(experts ? "expert-down" : "down", tokens / copies, s.hidden, inner / s.t);
  down.site = experts ? KernelSite::kCombines : KernelSite::kReduces;
  down.copies = copies;
  down.output_bytes *= copies;
  list.push_back(down);
}

}  // namespace

double Kernel::seconds(const KernelTimes& times) const {
  const double compute = m > 0.0 ? times.product(m, n, k, count) : 0.0;
  const double memory = moved_bytes > 0.0 ? times.vector(moved_bytes) : 0.0;
  return copies * std::max(compute, memory);
}

KernelSizes::KernelSizes(const Transformer& m, const Degrees& degrees)
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

bool has_experts(const Transformer& m, std::uint32_t index) {
  return m.experts.experts > 0 && index >= m.experts.dense_layers;
}

std::vector<Kernel> layer_kernels(const Transformer& m,
                                  std::uint32_t index,
                                  const Degrees& degrees,
                                  const KernelChoices& choices) {
  const KernelSizes s(m, degrees);
  const double row = kElement * s.tokens * s.hidden / s.sp;
  std::vector<Kernel> list;
  list.push_back(vector("attention-norm", 2.0 * row, row));
  add_projections(list, m, s);
  const double rotated = kElement * s.tokens * s.heads * 2.0 * s.head_in;
  list.push_back(vector("rotate-or-bias", 2.0 * rotated, rotated));
  add_attention_core(list, s, choices.flash_attention);
  // Ordinary attention reads what its heads give; latent attention the width of its values.
  const double joined = m.latent.key_value_rank > 0 ? s.head_out : s.head_in;
  list.push_back(
      at(KernelSite::kReduces, product("attention-out", s.tokens, s.hidden, s.heads * joined)));
  list.push_back(vector("attention-residual", 2.0 * row, row));
  list.push_back(vector("feed-forward-norm", 2.0 * row, row));
  if (!has_experts(m, index)) {
    add_feed_forward(list, m, s, s.tokens, m.feed_forward, 1.0, false);
  } else {
    const Experts& e = m.experts;
    list.push_back(
        at(KernelSite::kGathersSequence, product("router", s.tokens, e.experts, s.hidden)));
    const double local = std::max(1.0, double{1} * e.experts / degrees.expert);
    add_feed_forward(list, m, s, s.tokens * e.active, e.hidden, local, true);
    if (e.shared > 0) {
      add_feed_forward(list, m, s, s.tokens, double{1} * e.shared * e.hidden, 1.0, false);
    }
  }
  list.push_back(vector("feed-forward-residual", 2.0 * row, row));
  return list;
}

std::vector<Kernel> embedding_kernels(const Transformer& m, const Degrees& degrees) {
  const KernelSizes s(m, degrees);
  const double row = kElement * s.tokens * s.hidden;
  std::vector<Kernel> list = {at(KernelSite::kReduces, vector("lookup", row, row))};
  if (m.patch_parameters > 0.0) {
    list.push_back(product("patches", s.tokens, s.hidden, m.patch_parameters / s.hidden));
  }
  return list;
}

std::vector<Kernel> head_kernels(const Transformer& m, const Degrees& degrees) {
  const KernelSizes s(m, degrees);
  const double row = kElement * s.tokens * s.hidden / s.sp;
  const double outputs = m.classes > 0 ? m.classes : m.vocabulary / s.t;
  const double rows = m.classes > 0 ? s.batch : s.tokens;
  return {vector("final-norm", 2.0 * row, row),
          at(KernelSite::kGathersSequence, product("logits", rows, outputs, s.hidden)),
          vector("loss", 2.0 * 4.0 * rows * outputs, 4.0 * rows)};
}

}  // namespace berth::datasets
