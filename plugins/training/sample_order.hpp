// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "sample_set.hpp"

namespace berth::training {

/// Which samples a step sees. Step k takes the batch at position k * batch of one endless row of
/// epochs, each a shuffle of all training samples of its own: copies of a job that make different
/// steps see different samples.
class SampleOrder {
 public:
  SampleOrder(SampleRange samples, std::uint64_t batch, std::uint64_t seed)
      : samples_(samples), batch_(batch), seed_(seed) {}

  /// [batch] positions in the sample set.
  [[nodiscard]] const std::vector<std::size_t>& batch_of(std::uint64_t step);

 private:
  void shuffle(std::uint64_t epoch);

  SampleRange samples_;
  std::uint64_t batch_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = UINT64_MAX;  // whose shuffle is in order_
  std::vector<std::size_t> order_;
  std::vector<std::size_t> rows_;
};

}  // namespace berth::training
