// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "sample_order.hpp"

#include <numeric>
#include <utility>

#include "berth/rng.hpp"

namespace berth::training {
namespace {

constexpr std::uint64_t kShuffle = 0x73687566;

}  // namespace

const std::vector<std::size_t>& SampleOrder::batch_of(std::uint64_t step) {
  rows_.clear();
  for (std::uint64_t i = 0; i < batch_; ++i) {
    const std::uint64_t position = step * batch_ + i;
    if (position / samples_.size() != epoch_) {
      shuffle(position / samples_.size());
    }
    rows_.push_back(order_[position % samples_.size()]);
  }
  return rows_;
}

void SampleOrder::shuffle(std::uint64_t epoch) {
  epoch_ = epoch;
  order_.resize(samples_.size());
  std::iota(order_.begin(), order_.end(), samples_.begin);
  Rng rng(seed_, {kShuffle, epoch});
  for (std::size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[rng.below(i)]);
  }
}

}  // namespace berth::training
