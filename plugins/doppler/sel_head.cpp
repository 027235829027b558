// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "sel_head.hpp"

#include <algorithm>

#include "column_scaling.hpp"

namespace berth::doppler {
namespace {

void gather(std::span<const std::uint32_t> rows,
            std::size_t columns,
            const std::vector<float>& from,
            std::vector<float>& to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(from.data() + rows[i] * columns, columns, to.data() + i * columns);
  }
}

void scatter_add(std::span<const std::uint32_t> rows,
                 std::size_t columns,
                 const float* from,
                 std::vector<float>& to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      to[rows[i] * columns + c] += from[i * columns + c];
    }
  }
}

void add_rows(std::size_t rows, std::size_t columns, const float* from, std::vector<float>& to) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      to[c] += from[r * columns + c];
    }
  }
}

}  // namespace

SelHead::SelHead(const Architecture& architecture,
                 const HeadWeights& weights,
                 const Tables& tables,
                 const ProblemView& view)
    : architecture_(&architecture), weights_(&weights), tables_(&tables), view_(&view) {}

SelHead::Gradient::Gradient(const HeadWeights& weights)
    : own(weights.own),
      own_block(weights.own_block),
      b_block(weights.b_block),
      t_block(weights.t_block),
      own_bias(weights.own_bias.size(), 0.0F),
      output(weights.sel_output.size(), 0.0F) {}

std::span<const float> SelHead::logits(std::span<const std::uint32_t> candidates) {
  if (logits_.size() < candidates.size()) {
    logits_.resize(candidates.size());
  }
  if (architecture_->normalise) {
    logits_of_set(candidates);
  } else {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      logits_[i] = tables_->sel_score[candidates[i]];
    }
  }
  return std::span(logits_).first(candidates.size());
}

void SelHead::logits_of_set(std::span<const std::uint32_t> candidates) {
  const std::size_t rows = candidates.size();
  const std::size_t hidden = architecture_->hidden;
  const std::size_t head = architecture_->head;
  const std::size_t columns = architecture_->node_columns;
  if (own_.size() < rows * hidden) {
    features_.resize(rows * columns);
    for (std::vector<float>* buffer : {&own_raw_, &own_, &gathered_, &b_, &t_}) {
      buffer->resize(rows * hidden);
    }
    hidden_raw_.resize(rows * head);
    hidden_.resize(rows * head);
  }
  normalise_rows(view_->raw_features, columns, candidates, features_);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(weights_->own_bias.data(), hidden, own_raw_.data() + i * hidden);
    logits_[i] = weights_->sel_output_bias;
  }
  weights_->own.apply(rows, features_.data(), own_raw_.data());
  leaky(rows * hidden, own_raw_.data(), own_.data());
  gather(candidates, hidden, tables_->sel_b, gathered_);
  b_normaliser_.forward(rows, hidden, gathered_.data(), b_.data());
  gather(candidates, hidden, tables_->sel_t, gathered_);
  t_normaliser_.forward(rows, hidden, gathered_.data(), t_.data());
  gather(candidates, head, tables_->sel_static, hidden_raw_);
  weights_->own_block.apply(rows, own_.data(), hidden_raw_.data());
  weights_->b_block.apply(rows, b_.data(), hidden_raw_.data());
  weights_->t_block.apply(rows, t_.data(), hidden_raw_.data());
  leaky(rows * head, hidden_raw_.data(), hidden_.data());
  add_dot(rows, head, hidden_.data(), weights_->sel_output.data(), logits_.data());
}

void SelHead::backward(std::span<const std::uint32_t> candidates,
                       std::span<const float> dlogits,
                       Tables& tables,
                       Gradient* weights) {
  if (!architecture_->normalise) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      tables.sel_score[candidates[i]] += dlogits[i];
    }
    return;
  }
  const std::size_t rows = candidates.size();
  const std::size_t hidden = architecture_->hidden;
  const std::size_t head = architecture_->head;
  dhidden_.assign(rows * head, 0.0F);
  add_outer({rows, 1, head}, dlogits.data(), hidden_.data(), weights->output.data());
  for (std::size_t i = 0; i < rows; ++i) {
    weights->output_bias += dlogits[i];
  }
  add_product({rows, 1, head}, dlogits.data(), weights_->sel_output.data(), dhidden_.data());
  leaky_backward(rows * head, hidden_raw_.data(), dhidden_.data());
  scatter_add(candidates, head, dhidden_.data(), tables.sel_static);

  weights->own_block.add(rows, own_.data(), dhidden_.data());
  dsource_.assign(rows * hidden, 0.0F);
  weights_->own_block.apply_transposed(rows, dhidden_.data(), dsource_.data());
  leaky_backward(rows * hidden, own_raw_.data(), dsource_.data());
  weights->own.add(rows, features_.data(), dsource_.data());
  add_rows(rows, hidden, dsource_.data(), weights->own_bias);

  const auto through_paths = [&](const LinearBlock& block,
                                 const SetNormaliser& normaliser,
                                 const std::vector<float>& scaled,
                                 LinearGradient& gradient,
                                 std::vector<float>& table) {
    gradient.add(rows, scaled.data(), dhidden_.data());
    dsource_.assign(rows * hidden, 0.0F);
    block.apply_transposed(rows, dhidden_.data(), dsource_.data());
    dgathered_.assign(rows * hidden, 0.0F);
    normaliser.backward(rows, scaled.data(), dsource_.data(), dgathered_.data());
    scatter_add(candidates, hidden, dgathered_.data(), table);
  };
  through_paths(weights_->b_block, b_normaliser_, b_, weights->b_block, tables.sel_b);
  through_paths(weights_->t_block, t_normaliser_, t_, weights->t_block, tables.sel_t);
}

}  // namespace berth::doppler
