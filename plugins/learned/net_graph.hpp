// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "encoder_input.hpp"

namespace berth::learned {

/// What the networks read of a problem. C++17: the LibTorch files include it.
struct NetGraph {
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::size_t columns = 0;          ///< Of `features`.
  std::vector<float> features;      ///< [ops, columns] what does not change during an episode
  std::vector<std::int64_t> order;  ///< [ops] the op that each step places
  std::vector<std::int64_t> step;   ///< [ops] its inverse
  std::vector<float> device_codes;  ///< [devices, kDeviceCode]
  /// [ops, devices] time over the mean of the op's times, less one; 0 where it cannot run. Empty
  /// where all devices price alike.
  std::vector<float> device_times;
  doppler::RowSums from_predecessors, from_successors;  ///< [ops] from [ops]
  /// [ops, words] bit u of row v: u is v, an ancestor of v or a descendant; empty where unused.
  std::vector<std::uint64_t> related;

  std::size_t words() const noexcept { return (num_ops + 63) / 64; }
  bool is_related(std::size_t v, std::size_t u) const noexcept {
    return (related[v * words() + u / 64] >> (u % 64) & 1U) != 0;
  }
};

}  // namespace berth::learned
