// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plc_head.hpp"

#include <algorithm>

namespace berth::doppler {

PlcHead::PlcHead(const Architecture& architecture,
                 const HeadWeights& weights,
                 const Tables& tables,
                 std::size_t devices)
    : architecture_(&architecture),
      weights_(&weights),
      tables_(&tables),
      devices_(devices),
      row_(row_width(architecture)),
      sums_(devices * row_),
      scaled_sums_(architecture.normalise ? devices * row_ : 0),
      device_(devices * architecture.hidden),
      hidden_(devices * architecture.head),
      logits_(devices) {
  reset();
}

void PlcHead::reset() {
  std::fill(sums_.begin(), sums_.end(), 0.0F);
}

std::span<const float> PlcHead::logits(std::uint32_t op, std::span<const float> features) {
  const std::size_t head = architecture_->head;
  const std::size_t hidden = architecture_->hidden;
  const float* fixed = tables_->plc_static.data() + op * head;
  for (std::size_t d = 0; d < devices_; ++d) {
    std::copy_n(weights_->device_bias.data(), hidden, device_.data() + d * hidden);
    std::copy_n(fixed, head, hidden_.data() + d * head);
    logits_[d] = weights_->plc_output_bias;
  }
  weights_->device.apply(devices_, features.data(), device_.data());
  leaky(device_.size(), device_.data(), device_.data());
  weights_->device_block.apply(devices_, device_.data(), hidden_.data());
  if (architecture_->normalise) {
    normaliser_.forward(devices_, row_, sums_.data(), scaled_sums_.data());
    weights_->row_block.apply(devices_, scaled_sums_.data(), hidden_.data());
  } else {
    for (std::size_t d = 0; d < devices_; ++d) {
      const float* sum = sums_.data() + d * row_;
      for (std::size_t c = 0; c < head; ++c) {
        hidden_[d * head + c] += sum[c];
      }
      if (architecture_->affinity > 0) {
        const float* query = tables_->plc_query.data() + op * architecture_->affinity;
        add_dot(1, architecture_->affinity, sum + head, query, logits_.data() + d);
      }
    }
  }
  leaky(hidden_.size(), hidden_.data(), hidden_.data());
  add_dot(devices_, head, hidden_.data(), weights_->plc_output.data(), logits_.data());
  return logits_;
}

void PlcHead::assigned(std::uint32_t op, std::uint32_t device) {
  const float* row = tables_->plc_row.data() + op * row_;
  float* sum = sums_.data() + device * row_;
  for (std::size_t c = 0; c < row_; ++c) {
    sum[c] += row[c];
  }
}

}  // namespace berth::doppler
